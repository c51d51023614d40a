/** The obfuscator options that an upload may set. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import * as shape from '../../../api/shapes.ts'
import { describeOptions } from '../options.ts'

const Named = Type.Object({ id: Type.String(), name: Type.String(), description: Type.String() })

const Option = Type.Object({
  ...Named.properties,
  type: Type.String({
    description:
      'option type: choice, boolean, share (a number from 0 to 1), seed or names (separated by commas)',
  }),
  choices: shape.nullable(Type.Array(Type.String())),
  default: Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'] }),
})

const Macro = Type.Object({
  name: Type.String(),
  kind: Type.String({
    description:
      'how the name is handled: macro, ignored (accepted with a warning), variable (replaced with an expression on ward) or refused (the note explains what to do)',
  }),
  arguments: Type.String({ description: 'arguments that it takes. Empty if it takes none' }),
  becomes: Type.String(),
  note: Type.String({ description: 'explanation of the macro or variable' }),
})

/**
 * The example shows the first entries of each real list, because made-up options might contradict each other.
 */
function exampleAnswer() {
  const { default_preset, ...lists } = describeOptions()
  const shown = Object.entries(lists).map(([name, list]) => [name, list.slice(0, SHOWN)])
  return { success: true, ...Object.fromEntries(shown), default_preset }
}

const SHOWN = 2

const options = endpoint({
  name: 'v1.obfuscator.options',
  summary: 'List obfuscator options',
  description:
    'Returns the IDs, types, choices and defaults of all options, with the presets and targets that combine them. `macros` lists the macros and variables that a source may use, including those of other services. Send options by ID with an upload. Unknown options are reported by name.',
  example: { answer: exampleAnswer() },
  method: 'GET',
  path: '/v1/obfuscator/options',
  auth: 'customer',
  scope: null,
  compresses: 'answer',
  response: Type.Object({
    success: shape.Yes,
    options: Type.Array(Option),
    presets: Type.Array(Named, { description: 'presets, from the weakest to the strongest' }),
    targets: Type.Array(Named),
    default_preset: Type.String(),
    macros: Type.Array(Macro, { description: 'macros and variables that a source may use' }),
  }),
  async handle() {
    return describeOptions()
  },
})

export const obfuscator: readonly Endpoint[] = [options]
