/** Rolls a failing version back for everyone: ends its release, or activates the previous version. */
import { v1ReleasesRollBack, v1ScriptVersionsActivate } from '@scriptward/sdk'
import { useState } from 'react'
import { GuardedButton } from '../../../components/guarded.tsx'
import { ConfirmDialog } from '../../../components/overlays/dialog.tsx'
import { useToast } from '../../../components/overlays/toasts.tsx'
import { text } from '../../../messages/text.ts'
import { useCall, useChange } from '../../../queries/api.ts'
import { type Script, useScript, useVersionsFrom, WRITE } from '../queries.ts'
import { type Release, STABLE, useOpenReleases } from './queries.ts'

type Props = { readonly scriptId: string; readonly version: number }

/** Renders nothing if no customer gets the version, or if there is no previous version. */
export function RollBackButton({ scriptId, version }: Props) {
  const script = useScript(scriptId).data
  const releases = useOpenReleases(scriptId).data ?? []
  const { rows } = useVersionsFrom(scriptId, version)
  const [isAsked, setIsAsked] = useState(false)
  const isLive = script?.version === version
  const own = releases.filter((each) => each.version === version)
  // Ending another channel's release of the live version would leave it live.
  const release = own.find(({ channel }) => channel === STABLE) ?? (isLive ? undefined : own[0])
  const earlier = rows.find((each) => each.version < version && each.yanked_at === null)?.version
  const target = release?.version_before ?? (isLive ? earlier : undefined)
  if (script === undefined || target === undefined) return null
  return (
    <>
      <GuardedButton needs={WRITE} className="main" onClick={() => setIsAsked(true)}>
        {text.releases.rollBackTo(target)}
      </GuardedButton>
      {isAsked && (
        <RollBack
          script={script}
          version={version}
          target={target}
          release={release}
          onClose={() => setIsAsked(false)}
        />
      )}
    </>
  )
}

type RollBackProps = {
  readonly script: Script
  readonly version: number
  readonly target: number
  readonly release: Release | undefined
  readonly onClose: () => void
}

function RollBack({ script, version, target, release, onClose }: RollBackProps) {
  const t = text.releases
  const call = useCall()
  const showToast = useToast()
  const activate = (n: number) => v1ScriptVersionsActivate({ ...call, path: { script_id: script.id, n } })
  const { mutateAsync: back } = useChange(activate)
  const rollBack = async () => {
    const title = t.rolledBack(target)
    if (release === undefined) {
      await activate(target)
      return showToast({ title, undo: () => back(version) })
    }
    await v1ReleasesRollBack({ ...call, path: { script_id: script.id, release_id: release.id } })
    showToast({ title })
  }
  const words = release ? t.rollBackWords(target, release.channel) : t.everyoneGets(target)
  return (
    <ConfirmDialog
      title={t.rollBackTitle(version)}
      words={`${words} ${script.kick_outdated ? t.runsEnd : t.runsGoOn}`}
      submit={t.rollBack}
      onConfirm={rollBack}
      onClose={onClose}
    />
  )
}
