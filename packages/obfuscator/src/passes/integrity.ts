/**
 * Requests the integrity checks that the output runs at startup. Their results become part of the keys of
 * streams and strings (`anti-tamper/integrity-key.ts`), so there is no branch to patch out.
 */

import { definePass } from './pass.ts'

export const integrity = definePass({
  name: 'integrity',
  summary:
    'Ends the script if its data or the library was changed. Protects virtualized code, or the strings if there is none.',
  settings: [
    {
      id: 'natives',
      name: 'Native functions',
      description:
        "Library functions that must be native. core: setmetatable, getfenv, string.byte, string.char and string.sub, which hosts don't override; all: also tostring, pcall, string.gsub and table.concat, which some libraries replace.",
      type: 'choice',
      choices: ['none', 'core', 'all'],
      default: 'core',
    },
    {
      id: 'layout',
      name: 'Layout',
      description:
        'Requires the line breaks of the output to stay unchanged. Stops formatters and bundlers, and anyone who uses one to read the output, but not a specialized tool.',
      type: 'boolean',
      default: false,
    },
  ],
  reads: [],
  writes: ['checks'],
  run(chunk, { random }, settings) {
    const checks = { natives: String(settings.natives), layout: settings.layout === true, random }
    return { chunk, state: { checks } }
  },
})
