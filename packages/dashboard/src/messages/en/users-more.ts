/** Import of users, and who is in the chat server. Part of `users.ts`. */
import { number } from '../../lib/format.ts'

const users = (count: number) => (count === 1 ? '1 user' : `${number(count)} users`)
const rows = (count: number) => (count === 1 ? '1 row' : `${number(count)} rows`)
const members = (count: number) => (count === 1 ? '1 member' : `${number(count)} members`)

export const usersMoreText = {
  importPlan: 'Plan of those without an end of their own',
  importHint:
    'A list of users from this or another service. Nothing is changed before you have seen what would happen.',
  importFile: 'CSV or JSON file',
  importPaste: 'Or paste it here',
  importPasteHint: 'With the names of the columns in the first line, or a JSON list.',
  reading: 'Reading…',
  noRows:
    'There are no rows with columns in it. Use a CSV file with a first line of names, or a JSON list of objects.',
  next: 'Continue',
  goBack: 'Back',
  mapping: 'Columns',
  mappingIntro: (count: number) => `${rows(count)} found. Say what each column is.`,
  column: 'Column',
  firstValues: 'First values',
  isWhat: 'Is',
  isWhatOf: (column: string) => `What ${column} is`,
  leaveOut: 'Leave out',
  importMembers: {
    key: 'Key',
    chat_id: 'Chat id',
    note: 'Note',
    private_note: 'Private note',
    key_expires: 'Expires',
    fingerprint: 'Device',
    executor: 'Executor',
    blacklisted: 'Blacklisted',
    blacklist_reason: 'Blacklist reason',
    blacklist_expires: 'Blacklist ends',
  },
  check: 'Check',
  checking: (count: number) => `Checking ${rows(count)}…`,
  wouldImport: (count: number) => `${users(count)} will be imported.`,
  wouldSkip: (count: number) => `${rows(count)} will be skipped.`,
  noPlaces: (left: number) =>
    `Your plan has room for ${users(left)} more, and an import takes all or none. Import fewer, or raise the plan.`,
  importing: (count: number) => `Importing ${users(count)}…`,
  importCount: (count: number) => `Import ${users(count)}`,
  wasImported: (count: number) => `${users(count)} imported.`,
  wasSkipped: (count: number) => `${rows(count)} skipped.`,
  verdicts: 'What becomes of the rows',
  row: 'Row',
  verdict: 'Verdict',
  content: 'Content',
  skipped: 'Skipped',
  fine: 'Will be imported',
  onlyFirst: (count: number) => `The list shows the first ${number(count)} of them.`,
  downloadSkipped: 'Download the skipped rows',

  chatMembers: 'Chat members',
  chatNeeded:
    'Users have to be in this list to run scripts, because the project requires it. Your bot keeps it up to date.',
  chatNotNeeded:
    'The project does not require it now, so the list decides nothing. Your bot keeps it up to date.',
  chatTotal: (count: number) => `${members(count)} in the chat server.`,
  addedAt: 'Added',
  chatIds: 'Chat ids',
  chatIdsHint: 'One a line, or with commas between them.',
  chatAdd: (count: number) => (count === 0 ? 'Add' : `Add ${number(count)}`),
  chatRemove: 'Remove these',
  chatReplace: 'Replace the list',
  chatReplaceTitle: 'Replace the whole list?',
  chatReplaceWords: (total: number, given: number) =>
    `The list has ${members(total)} now. Afterwards it has ${members(given)}, and everyone else is out.`,
  chatAdded: (count: number) => `${members(count)} added.`,
  chatRemoved: (count: number) => `${members(count)} removed.`,
} as const
