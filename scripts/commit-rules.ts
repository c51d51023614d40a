/** How the first line of a commit's message has to look: `feat(users): generate keys in bulk`. */

const SUBJECT_LENGTH = 60
const TYPES = 'feat|fix|refactor|perf|test|docs|build|ci|bench|chore|style|revert'
const SUBJECT = new RegExp(`^(${TYPES})(\\([a-z][a-z0-9, -]*\\))?: [^A-Z\\s].*[^.\\s]$`)
/** What git writes by itself, or changes again before anybody reads it. */
const BY_GIT = /^(Merge|Revert|fixup!|squash!|amend!) /

/** What is wrong with a subject, or undefined. */
export function subjectComplaint(subject: string): string | undefined {
  if (BY_GIT.test(subject)) return undefined
  if (subject.length > SUBJECT_LENGTH)
    return `"${subject}" has ${subject.length} characters; a subject has at most ${SUBJECT_LENGTH}`
  if (SUBJECT.test(subject)) return undefined
  return `"${subject}" is not "type(scope): subject" in lower case without a full stop; types: ${TYPES.replaceAll('|', ', ')}`
}
