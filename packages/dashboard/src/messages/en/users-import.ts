/** Messages for importing users and for members of the Discord server. */
import { number } from '../../lib/format.ts'

const users = (count: number) => (count === 1 ? '1 user' : `${number(count)} users`)
const rows = (count: number) => (count === 1 ? '1 row' : `${number(count)} rows`)
const members = (count: number) => (count === 1 ? '1 member' : `${number(count)} members`)

export const usersMoreText = {
  importPlan: 'Plan for keys without an expiry date',
  importHint:
    "Import users exported from Scriptward or another service. You'll see a preview before anything changes.",
  importFile: 'CSV or JSON file',
  importPaste: 'Or paste it here',
  importPasteHint: 'CSV with column names in the first line, or a JSON array.',
  reading: 'Reading…',
  noRows: 'No rows found. Use a CSV file with column names in the first line, or a JSON array of objects.',
  notUtf8: 'Not valid UTF-8. Save the file as UTF-8.',
  openQuote: (row: number) => `Unclosed quote in row ${number(row)}. The file may be truncated.`,
  next: 'Continue',
  goBack: 'Back',
  mapping: 'Columns',
  mappingIntro: (count: number) => `${rows(count)} found. Match each column to a field.`,
  column: 'Column',
  firstValues: 'Sample values',
  isWhat: 'Field',
  isWhatOf: (column: string) => `Field for ${column}`,
  leaveOut: "Don't import",
  importMembers: {
    key: 'Key',
    chat_id: 'Discord ID',
    note: 'Note',
    private_note: 'Private note',
    key_expires: 'Expires',
    fingerprint: 'Device',
    executor: 'Executor',
    blacklisted: 'Blocked',
    blacklist_reason: 'Block reason',
    blacklist_expires: 'Block ends',
    tags: 'Tags',
  },
  check: 'Preview import',
  checking: (count: number) => `Checking ${rows(count)}…`,
  wouldImport: (count: number) => `${users(count)} will be imported.`,
  wouldSkip: (count: number) => `${rows(count)} will be skipped.`,
  noPlaces: (left: number) =>
    `Your service tier has room for ${number(left)} more ${left === 1 ? 'user' : 'users'}, and imports are all or nothing. Import fewer users, or upgrade your service tier.`,
  importing: (count: number) => `Importing ${users(count)}…`,
  importCount: (count: number) => `Import ${users(count)}`,
  wasImported: (count: number) => `${users(count)} imported.`,
  wasSkipped: (count: number) => `${rows(count)} skipped.`,
  row: 'Row',
  keyAndNote: 'Key and note',
  content: 'Content',
  skipped: 'Skipped',
  fine: 'Will be imported',
  importReady: 'Ready',
  importRuns: (count: number) => (count === 1 ? '1 run' : `${number(count)} runs`),
  onlyFirst: (count: number) => `Showing the first ${number(count)} skipped rows.`,
  downloadSkipped: 'Download skipped rows',

  chatNeeded:
    'This project requires customers to be on this list to run scripts. Your bot keeps the list up to date.',
  chatNotNeeded:
    "This list has no effect yet: the project doesn't require customers to join your server. Your bot keeps the list up to date.",
  chatToBot: 'Set up your Discord bot',
  chatTotal: (count: number) => `${members(count)} in your Discord server.`,
  addedAt: 'Added',
  chatIds: 'Discord IDs',
  chatIdsHint: 'One per line, or comma-separated.',
  chatAdd: (count: number) => (count === 0 ? 'Add' : `Add ${number(count)}`),
  chatRemove: 'Remove',
  chatReplace: 'Replace list',
  chatReplaceTitle: 'Replace the entire list?',
  chatReplaceWords: (total: number, given: number) =>
    `The list currently has ${members(total)}. It will be replaced with the ${members(given)} you entered; everyone else is removed.`,
  chatAdded: (count: number) => `${members(count)} added.`,
  chatRemoved: (count: number) => `${members(count)} removed.`,
} as const
