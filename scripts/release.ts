/**
 * Builds the files that a release publishes, in `.tsbuild/release`: packages, bill of materials, checksums
 * and release notes. Publishes nothing. Run it as `npm run release -- v0.1.0`.
 */
import { createHash } from 'node:crypto'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { complaintsAbout, type Named, notesOf } from './release-rules.ts'
import { ROOT } from './run.ts'

const OUT = path.join(ROOT, '.tsbuild', 'release')
const MANIFESTS = ['package.json', 'packages/*/package.json', 'packages/client/check/package.json']

const [tag = ''] = process.argv.slice(2)
const changelog = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8')
const packages = globSync(MANIFESTS, { cwd: ROOT }).map(
  (file) => JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')) as Named,
)
const complaints = complaintsAbout(tag, packages, changelog)
if (complaints.length > 0) {
  process.stderr.write(complaints.map((complaint) => `${complaint}\n`).join(''))
  process.exit(1)
}

for (const program of ['pack', 'check-licenses']) await import(`./${program}.ts`)
rmSync(OUT, { recursive: true, force: true })
mkdirSync(OUT)
for (const file of globSync('packages/*.tgz', { cwd: path.join(ROOT, '.tsbuild') })) copy(file)
copy('sbom.json')
writeFileSync(path.join(OUT, 'SHA256SUMS'), checksums())
writeFileSync(path.join(OUT, 'NOTES.md'), `${notesOf(changelog, tag.slice(1))}\n`)

function copy(file: string): void {
  cpSync(path.join(ROOT, '.tsbuild', file), path.join(OUT, path.basename(file)))
}

/** Checksums in the format of `sha256sum --check`. */
function checksums(): string {
  const files = globSync('*', { cwd: OUT }).sort()
  return files
    .map((name) => {
      const digest = createHash('sha256')
        .update(readFileSync(path.join(OUT, name)))
        .digest('hex')
      return `${digest}  ${name}\n`
    })
    .join('')
}
