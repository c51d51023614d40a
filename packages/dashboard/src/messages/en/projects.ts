/** The list of projects, and making and removing one. */
import { number } from '../../lib/format.ts'

export const projectsText = {
  intro: 'A project owns scripts and the keys of the people who may run them.',
  new: 'New project',
  emptyTitle: 'Make your first project',
  emptyHint:
    'A project owns scripts and the keys of the people who may run them. The next step is a script to protect.',
  nameHint: 'What your users know it by. You can change it at any time.',
  nameMissing: 'Give the project a name.',
  create: 'Create project',
  search: 'Search projects',
  found: (count: number) => (count === 1 ? '1 project' : `${number(count)} projects`),
  sessions: 'Running now',
  noneFound: 'No project has this in its name',
  noneFoundHint: 'Look for another part of the name.',
} as const
