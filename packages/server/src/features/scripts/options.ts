/** The obfuscator options as authors see and submit them. The obfuscator defines what they mean. */
import { choices, type ObfuscateOptions, type OptionValues, readOptions } from '@scriptward/obfuscator'
import { type Refused, refuse } from '../../api/refusals.ts'

export type { OptionValues }

/** Returns every option, the values of each preset and target, and the names that a source may use. */
export function describeOptions() {
  const { options, presets, targets, defaultPreset, macros } = choices
  return {
    options: options.map((option) => ({ ...option, choices: option.choices ? [...option.choices] : null })),
    presets: presets.map(({ id, name, description }) => ({ id, name, description })),
    targets: targets.map(({ id, name, description }) => ({ id, name, description })),
    default_preset: defaultPreset,
    macros: macros.map((each) => ({ ...each, kind: String(each.kind) })),
  }
}

/** Reports all invalid options and how to fix them. */
export function checkOptions(values: OptionValues): ObfuscateOptions | Refused<'invalid_request'> {
  const read = readOptions(values)
  if ('options' in read) return read.options
  const failed = read.errors.map(({ param, message }) => ({
    field: param === 'options' ? param : `options.${param}`.slice(0, 200),
    errors: [message],
  }))
  return refuse('invalid_request', { failed })
}
