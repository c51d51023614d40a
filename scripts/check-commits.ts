/** The subjects of commits in a range, such as `origin/main..HEAD`: `type(scope): imperative`, 60 characters at most. */
import { execFileSync } from 'node:child_process'
import { ROOT } from './run.ts'

const MAX_LENGTH = 60
const SUBJECT =
  /^(feat|fix|refactor|perf|test|docs|bench|build|ci|chore|revert)(\([a-z][a-z0-9-]*\))?: \S.*[^.\s]$/

/** What is wrong with a subject, or undefined. */
export function complaintAbout(subject: string): string | undefined {
  if (subject.length > MAX_LENGTH) return `${subject.length} characters, ${MAX_LENGTH} at most`
  return SUBJECT.test(subject)
    ? undefined
    : "not like 'feat(users): generate keys in bulk', without a full stop"
}

if (import.meta.main) {
  const range = process.argv[2] ?? 'HEAD~1..HEAD'
  const log = execFileSync('git', ['log', '--no-merges', '--format=%h %s', range], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const lines = log.split('\n').filter((line) => line !== '')
  for (const line of lines) {
    const complaint = complaintAbout(line.slice(line.indexOf(' ') + 1))
    if (complaint === undefined) continue
    console.error(`${line}: ${complaint}`)
    process.exitCode = 1
  }
}
