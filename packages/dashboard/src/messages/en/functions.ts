/** Server functions of a script. */
import { number } from '../../lib/format.ts'

export const functionsText = {
  tab: 'Functions',
  title: 'Server functions',
  intro:
    'The service runs them when a running script calls ward.ask. Users get the answer, and never the source.',
  guide: 'What to ask the service',
  noneTitle: 'No server functions yet',
  noneHint:
    'What a script has, its users can read. Put a formula, a price or a decision that must stay secret into a function here: a running script calls ward.ask, the service runs the function, and the script gets the answer alone.',
  newFunction: 'New function',
  all: 'All functions',
  open: 'Edit and try',
  calls: (count: number) => (count === 1 ? '1 call' : `${number(count)} calls`),
  failures: (count: number) => (count === 1 ? '1 failure' : `${number(count)} failures`),
  changed: 'Changed',
  lastFailure: 'Last failure',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeWords:
    'Scripts that ask for it get nil and a problem from then on. Its source and its counts are gone and cannot be brought back.',

  asked: 'A script asks for it by',
  name: 'Name',
  nameHint: 'Scripts ask for it by this name: lowercase letters, digits and _.',
  nameWrong: 'Begin with a lowercase letter; then lowercase letters, digits and _, at most 40 in all.',
  nameTaken: 'There is a function of this name already.',
  source: 'Source of the function',
  sourceHint:
    'Luau that returns a function. It gets facts about the run, then the values that the script sent. Ctrl+F finds, Tab leaves the editor.',
  noSource: 'There is no source yet.',
  saved: (name: string) => `${name} is saved. Runs that ask from now on get it.`,

  tryTitle: 'Try it',
  tryHint: 'It runs on the service, under the limits of a real call. Nothing is counted.',
  values: 'Values',
  valuesHint: 'What the script sends after the name, as a JSON list, such as ["gold", 3].',
  valuesWrong: 'Write a JSON list, such as ["gold", 3], or [] for no values.',
  run: 'Facts about the run',
  runHint:
    'A JSON object, such as {"plan": "Pro", "features": {"turbo": true}}. What you leave out is as for a guest.',
  runWrong: 'Write a JSON object, such as {"plan": "Pro"}, or {} for a guest.',
  unsaved: 'The saved source runs. Save your changes first to try them.',
  tryButton: 'Try it',
  trying: 'Trying…',
  answer: 'Answer',
  noAnswer: 'The function gave no answer. Scripts get nil and a short text, not these words:',
  printed: 'Printed',
  took: (ms: number) => `It took ${number(ms)} ms of processor time.`,
} as const
