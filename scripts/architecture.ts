/**
 * Draws a package's folders and the imports between them. The default is the server; for another package, run
 * `npm run architecture -- cli`.
 */
import { run } from './run.ts'

const [name = 'server'] = process.argv.slice(2)
const source = `packages/${name}/src`
process.exit(
  run('depcruise', [
    ...['--config', '.dependency-cruiser.mjs', '--output-type', 'mermaid'],
    ...[
      '--include-only',
      `^${source}/`,
      '--exclude',
      '\\.test\\.ts$',
      '--collapse',
      `^${source}/[^/]+`,
      source,
    ],
  ]),
)
