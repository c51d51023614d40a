/** Staff commands that roll back a script to its previous version after a preview. */
import { Refused } from '../../api/refusals.ts'
import type { ScriptSubject } from '../projects/store/subjects.ts'
import { STABLE } from '../releases/customer-version.ts'
import { rollBackRelease } from '../releases/releases.ts'
import { listOpenReleases, type ReleaseRow } from '../releases/store/releases.ts'
import { findUsableBefore } from '../scripts/store/script-versions.ts'
import { activateVersion } from '../scripts/versions.ts'
import { act, Problem, problem, refusedAnswer } from './act.ts'
import { findScript, scriptOption } from './choices.ts'
import type { Answer, Asked, Button, Command, Given } from './command.ts'
import { say, strong, value } from './text.ts'

/** A rollback ends `release`. Without a release, it activates `target`. */
type Way = { readonly from: number; readonly target: number; readonly release: ReleaseRow | undefined }

const rollBack: Command = {
  name: 'rollback',
  summary: 'Roll a script back to its previous version for everyone',
  scope: 'scripts:write',
  options: [{ ...scriptOption, isRequired: true }],
  run: preview,
}

async function preview(asked: Asked, { script: typed = '' }: Given): Promise<Answer> {
  const subject = await findScript(asked, typed)
  if (subject instanceof Problem) return subject.answer
  const { script } = subject
  const way = await findWay(asked, subject)
  if (way === undefined) return problem(say`${strong(script.name)} has no earlier version to roll back to.`)
  const { from, target, release } = way
  return {
    title: `Roll back version ${from}?`,
    text: say`Everyone gets version ${value(target)} of ${strong(script.name)} from their next run. ${
      script.kick_outdated === 1 ? 'Runs of other versions end now.' : 'Current runs continue.'
    }`,
    buttons: [
      release === undefined
        ? activateButton('Roll back', { script: script.id, from, to: target })
        : button('Roll back', { script: script.id, release: release.id }),
    ],
  }
}

function button(label: string, given: Given): Button {
  return { label, style: 'danger', command: confirm.name, given, isSingleUse: true }
}

type Activation = { readonly script: string; readonly from: number; readonly to: number }

function activateButton(label: string, { script, from, to }: Activation): Button {
  return button(label, { script, from: String(from), to: String(to) })
}

/** Rolls back an open release. If there is none, chooses the latest earlier version that isn't yanked. */
async function findWay({ deps }: Asked, { script }: ScriptSubject): Promise<Way | undefined> {
  const open = await listOpenReleases(deps.db.read, script.id)
  const release = open.find(({ channel }) => channel === STABLE)
  if (release) return { from: release.version, target: release.version_before, release }
  const target = await findUsableBefore(deps.db.read, script.id, script.version)
  return target === undefined ? undefined : { from: script.version, target, release: undefined }
}

const confirm: Command = {
  name: 'confirm rollback',
  summary: 'Roll back a script',
  scope: 'scripts:write',
  isHidden: true,
  async run(asked, { script: id = '', release, from, to }) {
    const subject = await findScript(asked, id)
    if (subject instanceof Problem) return subject.answer
    return release === undefined
      ? activate(asked, subject, { script: id, from: Number(from), to: Number(to) })
      : endRelease(asked, subject, release)
  },
}

async function activate(asked: Asked, subject: ScriptSubject, { from, to }: Activation): Promise<Answer> {
  const { script } = subject
  if (script.version !== from)
    return problem(
      say`${strong(script.name)} now has a different live version (${value(script.version)}), so nothing was changed.`,
    )
  const nouns = { script_id: script.id, n: String(to) }
  const refused = await act(asked, { action: 'v1.scriptVersions.activate', nouns }, (on) =>
    activateVersion(on, subject, to),
  )
  if (refused) return refusedAnswer(refused)
  return {
    tone: 'good',
    text: say`Version ${value(to)} of ${strong(script.name)} is live.`,
    buttons: [activateButton(`Back to version ${from}`, { script: script.id, from: to, to: from })],
  }
}

async function endRelease(asked: Asked, subject: ScriptSubject, release_id: string): Promise<Answer> {
  const nouns = { script_id: subject.script.id, release_id }
  const done = await act(asked, { action: 'v1.releases.rollBack', nouns }, (on) =>
    rollBackRelease(on, subject, release_id),
  )
  if (done instanceof Refused)
    return done.reason === 'invalid_request'
      ? problem('This release has already ended, so nothing was changed.')
      : refusedAnswer(done)
  const { name } = subject.script
  return {
    tone: 'good',
    text: say`The release was rolled back. Everyone gets version ${value(done.version_before)} of ${strong(name)}.`,
  }
}

export const staffRollbackCommands: readonly Command[] = [rollBack, confirm]
