/** Entries in `event-catalog.ts` about releases. */
import { type Static, Type } from 'typebox'
import type { RolledBackBy } from '../../../database/schema/release-tables.ts'
import { plainText } from './chat-text.ts'
import { information } from './event-entry.ts'
import type { Field } from './event-fields.ts'
import { EventNoun } from './event-shapes.ts'

const Release = Type.Object({
  script: EventNoun,
  release: Type.Object({
    id: Type.String({ examples: ['rel_0VMc4VLkQ8sTuVwXyZaBcD'] }),
    channel: Type.String({ examples: ['stable'] }),
    version: Type.Integer({ description: 'released version', examples: [4] }),
    version_before: Type.Integer({ description: 'version that everyone else gets', examples: [3] }),
    percent: Type.Integer({ description: 'percentage of customers who get the version', examples: [25] }),
  }),
  errors: Type.Array(
    Type.Object({
      id: Type.String({ examples: ['err_0VMc4VLkQ8sTuVwXyZaBcD'] }),
      message: Type.String({ examples: ["attempt to index field 'price' (a nil value)"] }),
      customers: Type.Integer({ description: 'number of customers affected', examples: [12] }),
    }),
    { description: 'errors that the version reported, most customers first. Up to 3' },
  ),
})

const RolledBack = Type.Object({
  ...Release.properties,
  rolled_back_by: Type.Unsafe<RolledBackBy>({
    type: 'string',
    enum: ['guard', 'team'],
    description: 'who rolled it back: the guard, or someone on your team',
    examples: ['guard'],
  }),
})

const shown = {
  data: Release,
  fields: ({ script, release, errors }: Static<typeof Release>): readonly Field[] => [
    ['Script', `${plainText(script.name)} (v${release.version})`],
    ['Channel', plainText(release.channel)],
    ['Customers', `${release.percent}%`],
    ...errors.map(
      ({ message, customers }) => ['Error', `${plainText(message)} (${customers} customers)`] as const,
    ),
  ],
}

export const releaseEvents = {
  'release.started': information({
    summary: 'A version is being released to customers.',
    title: 'Release started',
    ...shown,
  }),
  'release.completed': information({
    summary: 'A release reached all customers and was found healthy.',
    title: 'Release completed',
    ...shown,
  }),
  'release.held': information({
    summary: 'A release was held because its version seems worse than the previous one.',
    title: 'Release held',
    ...shown,
  }),
  'release.rolled_back': information({
    summary: 'A release was rolled back. Customers get the previous version on their next run.',
    title: 'Release rolled back',
    data: RolledBack,
    fields: (event) => [
      ...shown.fields(event),
      ['Rolled back by', event.rolled_back_by === 'guard' ? 'the guard' : 'your team'],
    ],
  }),
}

export type ReleaseEvent = keyof typeof releaseEvents
