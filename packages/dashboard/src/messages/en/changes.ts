/** Bulk changes and removals, and undoing them. */
import { number } from '../../lib/format.ts'

const users = (count: number) => (count === 1 ? '1 user' : `${number(count)} users`)

export const changesText = {
  title: 'Bulk changes',
  intro: 'Bulk edits and removals. You can undo each of them for a few days.',
  ofAllProjects: 'All projects',
  noneTitle: 'Nothing to undo',
  noneHint: 'Bulk changes and removals appear here.',
  what: 'Change',
  count: 'Users',
  who: 'By',
  state: 'Undo',
  undoneBy: 'Undone by',
  undoneAt: 'Undone',
  script: 'Script',
  goOn: 'Continue undoing',
  actions: {
    import: 'Imported users',
    generate: 'Generated keys',
    purge: 'Removed unused keys',
    clear: 'Removed all users',
    resetall: 'Reset all devices',
    compensate: 'Extended all keys',
    'delete-expired': 'Deleted expired users',
    extend: 'Extended keys',
    blacklist: 'Blocked users',
    unblacklist: 'Unblocked users',
    pause: 'Paused keys',
    resume: 'Resumed keys',
    tag: 'Added tags',
    untag: 'Removed tags',
    plan: 'Changed plan',
    reset: 'Reset devices',
    remove: 'Removed users',
    'remove-project': 'Removed the project',
    'remove-script': 'Removed a script',
  },
  undoUntil: (when: string) => `Available until ${when}`,
  states: { undoing: 'Not finished', undone: 'Undone' },
  undoTitle: (what: string) => `Undo “${what}”?`,
  undoWords: (count: number) =>
    `This change affected ${users(count)}. Undoing it restores what was removed and reverts what was changed. Anything edited since is left alone and listed. Sessions are not restored.`,
  undone: 'Change undone.',
  undoneBut: (count: number) =>
    count === 1
      ? 'Undone, except for 1 item that was edited since. See Bulk changes.'
      : `Undone, except for ${number(count)} items that were edited since. See Bulk changes.`,
  skipped: (count: number) => `Not undone: ${number(count)}`,
  reasons: {
    already_exists: 'It already exists.',
    key_taken: 'Another user has this key now.',
    chat_id_taken: 'Another user has this Discord account.',
    edited: 'Edited since.',
    removed: 'Removed since.',
    used_or_edited: 'Used, edited or removed since.',
  } as Readonly<Record<string, string>>,
}
