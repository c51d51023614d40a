/** Removals and changes of many users, and undoing them. */
import { number } from '../../lib/format.ts'

const users = (count: number) => (count === 1 ? '1 user' : `${number(count)} users`)

export const changesText = {
  title: 'Changes',
  intro: 'Removals and changes of many users at once. Each can be undone for some days.',
  ofAllProjects: 'All projects',
  noneTitle: 'Nothing to undo',
  noneHint: 'When somebody removes something, or changes many users at once, it is listed here.',
  what: 'What',
  count: 'Users',
  who: 'By',
  state: 'Undo',
  undoneBy: 'Undone by',
  undoneAt: 'Undone at',
  script: 'Script',
  goOn: 'Go on undoing',
  actions: {
    import: 'Imported users',
    generate: 'Generated keys',
    purge: 'Removed unused users',
    clear: 'Removed all users',
    resetall: 'Reset all devices',
    compensate: 'Gave everyone more time',
    'delete-expired': 'Deleted expired users',
    extend: 'Extended keys',
    blacklist: 'Blacklisted users',
    unblacklist: 'Unblacklisted users',
    pause: 'Paused keys',
    resume: 'Resumed keys',
    tag: 'Tagged users',
    untag: 'Took tags away',
    plan: 'Moved to a plan',
    reset: 'Reset devices',
    remove: 'Removed users',
    'remove-project': 'Removed the project',
    'remove-script': 'Removed a script',
  },
  undoUntil: (when: string) => `possible until ${when}`,
  states: { undoing: 'not finished', undone: 'undone' },
  undoTitle: (what: string) => `Undo: ${what}?`,
  undoWords: (count: number) =>
    `It was about ${users(count)}. What was removed comes back, and what was changed is as it was before. Whatever was changed again since stays as it is and is listed. Sessions do not come back.`,
  undone: 'Undone.',
  undoneBut: (count: number) =>
    count === 1
      ? 'Undone, but for 1 that was changed since. See Changes.'
      : `Undone, but for ${number(count)} that were changed since. See Changes.`,
  skipped: (count: number) => `Left as they are: ${number(count)}`,
  reasons: {
    'the key is taken': 'The key is taken again.',
    'another user has the chat account': 'Another user has the chat account.',
    'changed since': 'Changed since.',
    'removed since': 'Removed since.',
    'used, changed or removed since': 'Used, changed or removed since.',
  } as Readonly<Record<string, string>>,
}
