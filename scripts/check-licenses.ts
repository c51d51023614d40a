/**
 * Writes every dependency in the lock file to `.tsbuild/sbom.json` (CycloneDX, with digests), and fails if a
 * license is not allowed. Works offline.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Component, licenseComplaint } from './license-rules.ts'
import { ROOT } from './run.ts'

const FILE = path.join(ROOT, '.tsbuild', 'sbom.json')
const MAX_BYTES = 64 * 1024 * 1024

const { stdout, stderr, status } = spawnSync(
  'npm',
  ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'],
  {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: MAX_BYTES,
  },
)
if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`)
mkdirSync(path.dirname(FILE), { recursive: true })
writeFileSync(FILE, stdout)
const { components } = JSON.parse(stdout) as { components: readonly Component[] }
const complaints = components.map(licenseComplaint).filter((one) => one !== undefined)
for (const complaint of complaints) process.stderr.write(`${complaint}\n`)
if (complaints.length === 0)
  process.stdout.write(`${components.length} dependencies have accepted licenses\n`)
process.exitCode = complaints.length === 0 ? 0 : 1
