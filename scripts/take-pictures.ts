/**
 * Takes the screenshots for the documentation from the real dashboard, and records `scriptward try` in a
 * terminal. The files are written to `docs/images`. The screenshots are taken by a test that is otherwise
 * skipped.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT, run } from './run.ts'
import { drawTerminal } from './terminal-picture.ts'

process.env.SCRIPTWARD_PICTURES = '1'
const printed = execFileSync(process.execPath, ['packages/cli/src/main.ts', 'try', '--once'], {
  cwd: ROOT,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
})
const recording = drawTerminal('npx scriptward try', printed.trimEnd().split('\n'))
writeFileSync(path.join(ROOT, 'docs', 'images', 'try.svg'), recording)
process.exit(run('vitest', ['run', 'test/dashboard/pictures.test.ts']))
