/**
 * Asks for startup checks of the output. Their results become part of the keys of streams and strings
 * (`anti-tamper/integrity-key.ts`), so there is no branch that could be patched out.
 */

import { definePass } from './pass.ts'

export const integrity = definePass({
  name: 'integrity',
  summary:
    'Ties virtualised code, or else the strings, to their data, to the lines and to the library: where one of them was changed, the script ends.',
  settings: [
    {
      id: 'natives',
      name: 'Native functions',
      description:
        'Which library functions must not be functions of Lua: none, core (setmetatable, getfenv, string.byte, string.char and string.sub, which hosts leave alone), or all (also tostring, pcall, string.gsub and table.concat, which some libraries replace).',
      type: 'choice',
      choices: ['none', 'core', 'all'],
      default: 'core',
    },
    {
      id: 'layout',
      name: 'Layout',
      description:
        'The output runs only with its own lines. Turn it off if something removes or adds ends of lines inside the output after it was made.',
      type: 'boolean',
      default: true,
    },
  ],
  reads: [],
  writes: ['checks'],
  run(chunk, { random }, settings) {
    const checks = { natives: String(settings.natives), layout: settings.layout === true, random }
    return { chunk, state: { checks } }
  },
})
