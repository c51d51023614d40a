/**
 * Writes the guide as a site that any web server can host, below any path, to `.tsbuild/site`, with the playground in a
 * folder of its own.
 */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { siteOf } from '../packages/server/src/http/pages/guide.ts'
import { ROOT } from './run.ts'

const OUT = path.join(ROOT, '.tsbuild', 'site')

rmSync(OUT, { recursive: true, force: true })
for (const [name, bytes] of await siteOf(path.join(ROOT, 'docs'))) {
  const file = path.join(OUT, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, bytes)
}
cpSync(path.join(ROOT, 'packages', 'dashboard', 'playground', 'dist'), path.join(OUT, 'playground'), {
  recursive: true,
})
