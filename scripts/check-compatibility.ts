/**
 * Compares the API with the snapshot in `packages/server/public-surface.txt`. `--update` writes the snapshot
 * unless a change is breaking; `--breaking` always writes it.
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
  process.stdout.write(`${NAME} now lists all ${now.size} operations and events\n`)
  if (breaks.length > 0)
    process.stdout.write(
      `Breaking changes: ${breaks.length}. Add a line "- **Breaking:** …" to CHANGELOG.md that explains what callers have to change\n`,
    )
}

function complain(): void {
  process.exitCode = 1
  for (const one of breaks) process.stderr.write(`${one}: breaks existing callers\n`)
  process.stderr.write(
    breaks.length === 0
      ? `${NAME} is out of date. Run \`npm run generate\` to add the new parts.\n`
      : 'Undo these changes, or accept them with `npm run generate -- --breaking`.\n',
  )
}
