/**
 * Writes the guide to `.tsbuild/site`, as a site that any web server can host at any path. The site includes
 * the playground in a separate folder.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { siteOf } from '../packages/server/src/http/pages/guide.ts'
import { ROOT } from './run.ts'
import { LICENSES_FILE, licensesOf } from './third-party.ts'

const OUT = path.join(ROOT, '.tsbuild', 'site')
/** The search library. */
const LIBRARY = fileURLToPath(import.meta.resolve('minisearch'))

rmSync(OUT, { recursive: true, force: true })
for (const [name, bytes] of await siteOf(path.join(ROOT, 'docs'))) {
  const file = path.join(OUT, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, bytes)
}
writeFileSync(path.join(OUT, LICENSES_FILE), licensesOf([LIBRARY]))
cpSync(path.join(ROOT, 'packages', 'dashboard', 'playground', 'dist'), path.join(OUT, 'playground'), {
  recursive: true,
})
