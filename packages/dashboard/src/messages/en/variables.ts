/** Messages for remote variables and announcements. */
import { number } from '../../lib/format.ts'

const keys = (count: number) => (count === 1 ? '1 key' : `${number(count)} keys`)

export const variablesText = {
  intro:
    'Values your scripts read at runtime, such as a message of the day or prices. Changes reach running scripts within seconds. Anyone who runs a script can read the values.',
  newVariable: 'New variable',
  list: 'Variables',
  noneTitle: 'No variables yet',
  noneHint:
    'A script reads the motd variable as ward.vars.motd. When you change it here, every running script gets the new value.',
  edit: 'Edit',
  editOf: (name: string) => `Edit ${name}`,
  name: 'Name',
  nameHint: 'Scripts read it as ward.vars.name. Use lowercase letters, digits and _.',
  nameWrong: 'Start with a lowercase letter, then use lowercase letters, digits and _. Up to 32 characters.',
  nameTaken: 'A variable with this name already exists.',
  kind: 'Type',
  kinds: { text: 'Text', json: 'JSON' },
  value: 'Value',
  valueHints: {
    text: 'Scripts get exactly this text.',
    json: 'A number, true, false, an array or an object. All variables together: up to 64 KiB.',
  },
  valueWrong: 'Enter valid JSON other than null.',
  scripts: 'Scripts',
  allScripts: 'All scripts in this project',
  someScripts: 'Only selected scripts',
  noScripts: 'This project has no scripts yet.',
  scriptsMissing: 'Select at least one script, or all scripts.',
  plans: 'Plans',
  allPlans: 'All keys and guests',
  somePlans: 'Only keys on selected plans',
  noPlans: 'This project has no plans yet.',
  plansMissing: 'Select at least one plan, or all keys.',
  ofScripts: (names: string) => `Scripts: ${names}`,
  ofPlans: (names: string) => `Plans: ${names}`,
  saved: (name: string) => `${name} saved.`,
  removeTitle: (name: string) => `Remove ${name}?`,
  removeWords: 'Running scripts will read nil instead.',
} as const

export const announcementsText = {
  title: 'Announcements',
  intro:
    'Until it ends, an announcement reaches everyone who runs a script in this project. The script decides how to show it.',
  toSwitchOff: 'To take a script offline for a while, disable it and set a message.',
  announce: 'New announcement',
  none: 'No announcements.',
  text: 'Message',
  textHint: 'Up to 500 characters. Scripts get only the latest announcement.',
  textMissing: 'Enter a message.',
  level: 'Level',
  levels: { info: 'Information', warning: 'Warning', critical: 'Critical' },
  lasts: 'Ends after',
  ends: 'Ends',
  keys,
  toAffected: 'Message affected customers',
  shownTo: (count: number) =>
    `Shown to ${count === 1 ? 'the customer' : `the ${number(count)} customers`} affected by this error.`,
  send: 'Announce',
  sent: 'Announcement sent.',
  removeTitle: 'Remove this announcement?',
  removeWords: 'Running scripts get the previous announcement instead, if there is one.',
} as const
