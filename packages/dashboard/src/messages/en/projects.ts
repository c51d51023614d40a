/** Messages for the list of projects, and for creating a project. */
import { number } from '../../lib/format.ts'

export const projectsText = {
  intro: 'A project contains scripts and the license keys that can run them.',
  new: 'New project',
  emptyTitle: 'Create your first project',
  emptyHint:
    "A project contains scripts and the license keys that can run them. Next, you'll upload a script to protect.",
  nameHint: 'Visible to your customers. You can change it at any time.',
  nameMissing: 'Enter a name for the project.',
  create: 'Create project',
  search: 'Search projects',
  found: (count: number) => (count === 1 ? '1 project' : `${number(count)} projects`),
  customers: 'Customers',
  scripts: 'Scripts',
  running: 'Running now',
  recent: 'Runs in 24 hours',
  openErrors: 'Open errors',
  noneFound: 'No matching projects',
  noneFoundHint: 'Try another part of the project name.',
} as const
