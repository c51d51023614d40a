/**
 * Compares the API with the snapshot in `packages/server/public-surface.txt`. With `--update` it writes the snapshot, unless
 * that breaks callers; with `--breaking`, even then.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { breaksOf } from './compatibility-rules.ts'
import { type Document, parseSurface, renderSurface, surfaceOf } from './public-surface.ts'
import { ROOT } from './run.ts'

const NAME = 'packages/server/public-surface.txt'
const SNAPSHOT = path.join(ROOT, NAME)
const [isUpdate, isAccepted] = ['--update', '--breaking'].map((word) => process.argv.includes(word))

const document = JSON.parse(readFileSync(path.join(ROOT, 'docs/api/openapi.json'), 'utf8')) as Document
const now = surfaceOf(document)
const text = renderSurface(now)
const before = existsSync(SNAPSHOT) ? readFileSync(SNAPSHOT, 'utf8') : ''
const breaks = breaksOf(parseSurface(before), now)
if (isUpdate && (breaks.length === 0 || isAccepted)) update()
else if (text !== before) complain()

function update(): void {
  writeFileSync(SNAPSHOT, text)
  process.stdout.write(`${NAME} lists the ${now.size} operations and events of today\n`)
  if (breaks.length > 0)
    process.stdout.write(
      `${breaks.length} breaks: add a line "- **Breaking:** …" to CHANGELOG.md that says what callers have to do\n`,
    )
}

function complain(): void {
  process.exitCode = 1
  for (const one of breaks) process.stderr.write(`${one}: existing callers break\n`)
  process.stderr.write(
    breaks.length === 0
      ? `${NAME} does not list every addition: run \`npm run generate\`\n`
      : 'Undo these changes, or accept them with `npm run generate -- --breaking`.\n',
  )
}
