/** Backups of the service, for operators. */
import { number } from '../../lib/format.ts'

export const backupsText = {
  tab: 'Backups',
  last: 'Last backup',
  never: 'None yet',
  onMachine: (machine: string) => `on ${machine}`,
  next: 'Next backup',
  due: 'Now',
  notByItself: 'Not scheduled',
  stored: 'Stored',
  of: (keep: number) => `of ${number(keep)}`,
  size: 'Size',
  encrypted: 'Encrypted',
  yes: 'Yes',
  no: 'No',
  failed: 'The last attempt failed:',
  files: 'Files',
  where: 'They are on the machine of the service, in',
  none: 'No backups here',
  noneHint:
    'A backup has the whole database and the keys that open it. Without one, a broken disk ends the service.',
  made: 'Made',
  kind: 'Kind',
  file: 'File',
  isEncrypted: 'Encrypted',
  isOpen: 'Not encrypted',
  before: (migration: string) => `Before update ${migration}`,
  makeOne: 'Make one now',
  running: 'Making a backup…',
  wasMade: (size: string) => `Backup made, ${size}`,
  byTime: 'Make backups on a schedule',
  byTimeHint:
    'Add these lines to the settings of the service and restart it. A folder on another disk or machine survives what happens to this one; without a folder they are in the data folder.',
  encrypt: 'Encrypt backups',
  encryptHint:
    'A backup holds every source, key and e-mail address. On a machine of your own, make a pair of keys. Only the private key opens backups, so store it where a fire does not reach it.',
  encryptCommand: 'Make a pair of keys',
  encryptThen: 'Then give the public key, the first line of what it prints, to the service:',
  restoreHint: 'Restore one into an empty folder before you need it:',
  guide: 'how to restore a backup',
} as const
