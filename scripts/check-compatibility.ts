/**
 * The API since the last release: what breaks callers has a line in the changelog that says so. And the versions of the
 * changelog are those of the tags. Before the first release nothing can break.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { announcesBreak, changelogComplaints } from './changelog.ts'
import { breaksOf, type Document } from './compatibility-rules.ts'
import { lastRelease, releasedFile } from './released.ts'
import { ROOT } from './run.ts'

const DOCUMENT = 'docs/api/openapi.json'
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

const release = lastRelease()
const changelog = read('CHANGELOG.md')
const released = release && releasedFile(release, DOCUMENT)
const breaks =
  released === undefined
    ? []
    : breaksOf(JSON.parse(released) as Document, JSON.parse(read(DOCUMENT)) as Document)
const isSaid = release === undefined || announcesBreak(changelog, release.version)
const complaints = [
  ...changelogComplaints(changelog, release?.version),
  ...(isSaid ? [] : breaks.map((one) => `${one}: callers of ${release.tag} break`)),
]
for (const complaint of complaints) process.stderr.write(`${complaint}\n`)
if (breaks.length > 0 && !isSaid)
  process.stderr.write(
    'undo it, or say what callers have to do: a line "- **Breaking:** …" in CHANGELOG.md\n',
  )
if (breaks.length > 0 && isSaid)
  process.stdout.write(`${breaks.length} breaks, which the changelog announces\n`)
process.exitCode = complaints.length === 0 ? 0 : 1
