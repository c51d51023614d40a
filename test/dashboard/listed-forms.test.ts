/** Tests that every dashboard form keeps its input and is listed in every-form.test.ts. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { ACCOUNT_FORMS } from './kept-forms-of-accounts.ts'
import { PROJECT_FORMS } from './kept-forms-of-projects.ts'
import { SCRIPT_FORMS } from './kept-forms-of-scripts.ts'
import { LOSSY_FORMS } from './kept-forms-of-secrets.ts'

const ROOT = path.join(import.meta.dirname, '..', '..', 'packages', 'dashboard', 'src')
const LISTED = { ...ACCOUNT_FORMS, ...LOSSY_FORMS, ...PROJECT_FORMS, ...SCRIPT_FORMS }

const SHARED = 'the shared form'
const SIGN_IN = 'before sign-in, with a password or a code'
const FILTER = 'a filter, which is kept in the URL'
const CHOICE = 'a choice, nothing is typed'
const CONFIRMATION = 'a confirmation, which is typed anew each time'

/** Forms that don't keep their input, with the reason. */
const FORMS = [
  ['components/fields/form.tsx', SHARED],
  ['components/overlays/dialog.tsx', SHARED],
  ['components/sentence/token.tsx', FILTER],
  ['components/table/filter-bar.tsx', FILTER],
  ['features/logs/customer-token.tsx', FILTER],
  ['features/auth/auth-layout.tsx', SIGN_IN],
  ['features/auth/second-step.tsx', SIGN_IN],
  ['features/auth/sign-in-form.tsx', SIGN_IN],
] as const
const DIALOGS = [
  ['components/overlays/dialog.tsx', 'asks, nothing is typed'],
  ['components/overlays/prove-dialog.tsx', SIGN_IN],
  ['components/audit/audit-days.tsx', FILTER],
  ['features/account/key.tsx', CHOICE],
  ['features/account/path-key.tsx', CHOICE],
  ['features/hub/add-to-script.tsx', CHOICE],
  ['features/logs/time-token.tsx', FILTER],
  ['features/operators/customer-actions.tsx', CONFIRMATION],
  ['features/operators/people-list.tsx', 'nothing is typed'],
  ['features/operators/people-list.tsx', CHOICE],
  ['features/plans/removal.tsx', CHOICE],
  ['features/profile/factor.tsx', CHOICE],
  ['features/scripts/functions/suggestions.tsx', CHOICE],
  ['features/settings/danger.tsx', CONFIRMATION],
  ['features/tokens/page.tsx', CHOICE],
  ['features/users/allow-device.tsx', CHOICE],
  ['features/users/changes/export-dialog.tsx', CHOICE],
  ['features/users/device-dialogs.tsx', CHOICE],
  ['features/webhooks/secret-and-removal.tsx', CHOICE],
] as const

const sources = globSync('**/*.{ts,tsx}', { cwd: ROOT }).map(
  (file) => [file.replaceAll(path.sep, '/'), readFileSync(path.join(ROOT, file), 'utf8')] as const,
)
/** Returns the file of each match. */
const filesWith = (pattern: RegExp) =>
  sources.flatMap(([file, source]) => [...source.matchAll(pattern)].map(() => file)).sort()
const filesOf = (listed: typeof FORMS | typeof DIALOGS) => listed.map(([file]) => file).sort()

describe('every form', () => {
  it('that keeps its input is in the list', () => {
    const names = sources.flatMap(([, source]) =>
      [...source.matchAll(/useKept(?:Form<\w+>)?\(\s*'([a-z-]+)'/g)].map(([, name]) => name),
    )
    expect([...new Set(names)].sort()).toEqual(Object.keys(LISTED).sort())
  })

  it('keeps its input, or is an exception with a reason', () => {
    expect(filesWith(/<form\b/g)).toEqual(filesOf(FORMS))
    expect(filesWith(/<FormDialog(?!\s+kept=)/g)).toEqual(filesOf(DIALOGS))
  })
})
