/** Messages for the playground. */
import { bytes, LOCALE, number } from '../../lib/format.ts'

const rounded = (value: number) => number(value < 10 ? Math.round(value * 10) / 10 : Math.round(value))
const milliseconds = (ms: number) => `${rounded(ms)} ms`
const times = (factor: number) => `${(Math.round(factor * 10) / 10).toLocaleString(LOCALE)}×`
const share = new Intl.NumberFormat(LOCALE, {
  style: 'percent',
  signDisplay: 'always',
  maximumFractionDigits: 1,
})
const signed = (value: number) => share.format(value)
const count = (value: number, one: string) => `${number(value)} ${one}${value === 1 ? '' : 's'}`

export const playgroundText = {
  title: 'Playground',
  intro:
    'Protect a Lua or Luau script, run it next to its source, and see what an attacker gets. Everything happens in your browser; nothing is uploaded.',
  example: 'Example',
  ownSource: 'Your script',
  examples: { shop: 'Shop prices', route: 'Route planner', executor: 'Executor script' },
  preset: 'Preset',
  target: 'Target',
  seed: 'Seed',
  seedHint: 'The same seed produces the same bytes, here and on a server.',
  download: 'Download',
  start: 'Protect and run',
  stop: 'Stop',
  share: 'Copy a link',
  shared: 'Link copied. Your script is in the part after #, which browsers never send to a server.',
  notShared: 'This script is too long for a link. Send it as a file instead.',
  notCopied: "Your browser didn't allow copying. The link is in the address bar.",
  damagedLink: 'This link is incomplete or damaged, so it was not opened. Ask for the link again.',
  source: 'Source',
  output: 'Protected script',
  noOutput: 'Press “Protect and run” to see the protected script.',
  phases: {
    protecting: 'Protecting…',
    running: 'Running both scripts in Luau…',
    attacking: 'Attacking the protected script…',
    comparing: 'Trying every other option…',
  },
  stale: 'You changed something. Protect and run again to update the results.',
  empty: 'Write a script first, or choose an example.',
  tooLong: (limit: number) =>
    `The playground accepts scripts of up to ${number(limit)} characters. For longer ones, use scriptward obfuscate on the command line.`,
  errorsTitle: 'This script can’t be protected yet',
  missing: {
    stopped: 'You stopped it.',
    'too long': (seconds: number) => `Stopped after ${number(seconds)} seconds, the time limit here.`,
    broken: "This didn't work, probably because the browser ran out of memory. Try a shorter script.",
  },
  size: 'Size',
  sizes: (source: number, output: number) => `${bytes(source)} → ${bytes(output)}`,
  times,
  slowdown: 'Run time',
  slower: (source: number, output: number) => `${milliseconds(source)} → ${milliseconds(output)}`,
  tooQuick: 'Too quick to measure',
  tooQuickHint: 'Make the script run for at least a few milliseconds.',
  notMeasured: 'Not measured',
  milliseconds,
  same: 'Output',
  isSame: 'Identical',
  isSameHint: (lines: number) => count(lines, 'line'),
  isDifferent: 'Different',
  isDifferentHint: (line: number) => `From line ${number(line)} on`,
  isUnsteadyHint: 'Your source also prints something different each time it runs.',
  notCompared: 'Not compared',
  bothFail: 'Both end with an error. Line numbers and names in the message can differ.',
  hidden: 'Hidden',
  hiddenHint: 'strings, numbers and globals',
  virtualized: 'Virtualized',
  virtualizedHint: 'functions',
  warnings: (warnings: number) => count(warnings, 'warning'),
  runs: 'Printed output',
  runsHint:
    'Both run in Luau, with a simulated executor: print, warn, task and game. There is no network access.',
  cannotRun: (target: string) =>
    `Browsers can only run Luau, so output for ${target} isn't run or measured here. To run it, choose Any or Luau as the target.`,
  printed: { source: 'Your source', output: 'Protected script' },
  nothingPrinted: 'Nothing.',
  ends: {
    done: (ms: number) => `Finished in ${milliseconds(ms)}.`,
    failed: 'Ended with an error:',
    stopped: 'You stopped the run.',
    'too long': (seconds: number) => `Stopped after ${number(seconds)} seconds, the time limit here.`,
    'too much': (characters: number) => `Stopped after ${number(characters)} characters of output.`,
    broken: "Luau couldn't start. Use an up-to-date browser with WebAssembly enabled.",
  },
  attackers: 'What an attacker sees',
  attackersHint:
    'These attacks just ran against this build. The counts include only strings of at least five characters, names of at least four letters, fractions, and numbers above 1,000.',
  attacker: 'Attacker',
  strings: 'Strings',
  names: 'Names',
  numbers: 'Numbers',
  code: 'Functions',
  of: (some: number, all: number) => (all === 0 ? 'none' : `${rounded(some)} of ${number(all)}`),
  notTried: '–',
  notRun: 'Not tried: this attack needs a Luau run that ends within 10 seconds.',
  kinds: {
    file: 'Opens the file',
    hooks: 'Hooks every library function',
    lifted: 'Uses a tool made for this obfuscator',
  },
  explained: {
    file: 'Reads the file as text and evaluates constant expressions.',
    hooks: (open: number) =>
      `Records everything passed to library functions while the script runs. Your script itself passes ${number(open)} of these strings to functions such as print; no obfuscator can hide those.`,
    lifted:
      'Lets the output decrypt itself, then follows every branch without running it. Each function counts as a fraction: the share of its branches and constants that is recovered.',
  },
  seen: (found: number) => `Show ${count(found, 'string')}`,
  moral:
    'Whatever must stay secret even from such a tool doesn’t belong in the script: mark it with WARD_SERVER, and it stays on your server.',
  options: 'What each option does to this script',
  optionsHint:
    'Each row is another build of your script, with its size compared to this build. Preset rows ignore your changes; each row below them toggles one option. Run times are relative to your source. Each is the fastest of three runs, and can vary on a busy machine.',
  build: 'Build',
  runTime: 'Run time',
  sizeBeside: (size: number, other: number) =>
    size === other ? `${bytes(size)}, the same` : `${bytes(size)}, ${signed(size / other - 1)}`,
  readable: 'Readable in the file',
  readableWords: (strings: number, names: number, numbers: number) =>
    [count(strings, 'string'), count(names, 'name'), count(numbers, 'number')].join(', '),
  refused: 'Not possible',
  isThis: 'This build',
  isPreset: (name: string) => `Preset ${name}`,
  without: (name: string) => `Without: ${name}`,
  with: (name: string) => `With: ${name}`,
  switches: 'Preset options',
}
