/** Shows an open release and its actions. */
import { v1ReleasesContinue, v1ReleasesPause, v1ReleasesRollBack } from '@scriptward/sdk'
import { useId, useState } from 'react'
import { ErrorMessage } from '../../../components/error-message.tsx'
import { GuardedButton } from '../../../components/guarded.tsx'
import { ConfirmDialog } from '../../../components/overlays/dialog.tsx'
import { useToast } from '../../../components/overlays/toasts.tsx'
import { Time } from '../../../components/time.tsx'
import { text } from '../../../messages/text.ts'
import { useCall, useChange } from '../../../queries/api.ts'
import { type Script, WRITE } from '../queries.ts'
import { ChangeRelease } from './change-release.tsx'
import { Comparison } from './comparison.tsx'
import { type Release, stateOf } from './queries.ts'
import styles from './releases.module.css'
import { NextStep, ReleaseState } from './state.tsx'

const t = text.releases

type ScriptOfRelease = Pick<Script, 'id' | 'name' | 'kick_outdated'>
type Props = {
  readonly script: ScriptOfRelease
  readonly release: Release
  /** URL of the script's page; set in lists of several scripts. */
  readonly href?: string
}
type Deed = 'change' | 'continue' | 'roll back'

export function OpenRelease({ script, release, href }: Props) {
  const { version, channel, started_at, guard } = release
  const id = useId()
  const calls = useCalls(script, release)
  const [deed, setDeed] = useState<Deed>()
  const close = () => setDeed(undefined)
  return (
    <li className={styles.release}>
      <section aria-labelledby={id}>
        <header className="bar between">
          <h3 id={id}>
            {href !== undefined && (
              <>
                <a href={href}>
                  <bdi>{script.name}</bdi>
                </a>
                {' · '}
              </>
            )}
            {t.versionOn(version, channel)} <ReleaseState release={release} />
          </h3>
          <Actions
            release={release}
            of={href === undefined ? undefined : script.name}
            calls={calls}
            onOpen={setDeed}
          />
        </header>
        <p className={styles.facts}>
          <span>
            <NextStep release={release} />
          </span>
          <span>
            {t.started} <Time at={started_at} />
          </span>
          <span>{t.guardIs[guard]}</span>
        </p>
        <ErrorMessage of={calls.pause.error ?? calls.resume.error} />
        <Comparison scriptId={script.id} release={release} />
      </section>
      {deed === 'change' && <ChangeRelease script={script} release={release} onClose={close} />}
      {deed === 'continue' && <Continuation script={script} release={release} onClose={close} />}
      {deed === 'roll back' && <RollBack script={script} release={release} onClose={close} />}
    </li>
  )
}

function useCalls(script: ScriptOfRelease, { id }: Release) {
  const call = useCall()
  const path = { script_id: script.id, release_id: id }
  return {
    pause: useChange(() => v1ReleasesPause({ ...call, path })),
    resume: useChange(() => v1ReleasesContinue({ ...call, path })),
  }
}

type ActionProps = {
  readonly release: Release
  /** Script name, shown in lists of several scripts. */
  readonly of: string | undefined
  readonly calls: ReturnType<typeof useCalls>
  readonly onOpen: (deed: Deed) => void
}

function Actions({ release, of, calls: { pause, resume }, onOpen }: ActionProps) {
  const state = stateOf(release)
  const isPending = pause.isPending || resume.isPending
  const what = [of, t.versionOn(release.version, release.channel)].filter(Boolean).join(', ')
  const label = (action: string) => `${action}: ${what}`
  const button = (action: string, onClick: () => void, className?: string) => (
    <GuardedButton
      needs={WRITE}
      className={className}
      aria-label={label(action)}
      disabled={isPending}
      onClick={onClick}
    >
      {action}
    </GuardedButton>
  )
  return (
    <div className="actions">
      {state === 'running' && button(t.pause, () => pause.mutate(undefined))}
      {state === 'paused' && button(t.continue, () => resume.mutate(undefined))}
      {state === 'held' && button(t.continue, () => onOpen('continue'))}
      {button(t.change, () => onOpen('change'))}
      {button(t.rollBack, () => onOpen('roll back'), 'danger')}
    </div>
  )
}

type DialogProps = Props & { readonly onClose: () => void }

/**
 * Continues a held release. The server turns the guard off, because the guard would hold the release again.
 */
function Continuation({ script, release, onClose }: DialogProps) {
  const call = useCall()
  const path = { script_id: script.id, release_id: release.id }
  return (
    <ConfirmDialog
      title={t.continueTitle(release.version)}
      words={t.continueWords}
      submit={t.continue}
      onConfirm={() => v1ReleasesContinue({ ...call, path })}
      onClose={onClose}
    />
  )
}

function RollBack({ script, release, onClose }: DialogProps) {
  const { id, version, version_before, channel } = release
  const call = useCall()
  const showToast = useToast()
  const words = t.rollBackWords(version_before, channel)
  return (
    <ConfirmDialog
      title={t.rollBackTitle(version)}
      words={`${words} ${script.kick_outdated ? t.runsEnd : t.runsGoOn}`}
      submit={t.rollBack}
      onConfirm={async () => {
        await v1ReleasesRollBack({ ...call, path: { script_id: script.id, release_id: id } })
        showToast({ title: t.rolledBack(version_before) })
      }}
      onClose={onClose}
    />
  )
}
