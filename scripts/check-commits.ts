/**
 * Whether the subjects of commits follow `commit-rules.ts`: those of a range (`check-commits.ts origin/main..HEAD`),
 * or the one in a file (`--message .git/COMMIT_EDITMSG`), which is how the hook in `.githooks` calls it.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { subjectComplaint } from './commit-rules.ts'
import { report } from './report.ts'
import { ROOT } from './run.ts'

const { values, positionals } = parseArgs({
  options: { message: { type: 'string' } },
  allowPositionals: true,
})
const subjects = values.message === undefined ? subjectsIn(positionals[0]) : [subjectOf(values.message)]
report(
  `${subjects.length} commits have a subject as CONTRIBUTING.md asks for`,
  subjects.flatMap((subject) => subjectComplaint(subject) ?? []),
)

function subjectsIn(range = 'HEAD^..HEAD'): string[] {
  const text = execFileSync('git', ['log', '--no-merges', '--format=%s', range], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return text.split('\n').filter((subject) => subject !== '')
}

function subjectOf(file: string): string {
  return readFileSync(file, 'utf8').split('\n')[0] ?? ''
}
