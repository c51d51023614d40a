import { v1ScriptsRemove, v1ScriptsToggle } from '@scriptward/sdk'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { Menu, MenuItem } from '../../components/overlays/menu.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { useUndoable } from '../../components/overlays/undo-change.ts'
import { useUndo } from '../../components/overlays/use-undo.ts'
import { addressOf, useOpen } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { type ListedScript, WRITE } from './queries.ts'
import { RunIt } from './run-it.tsx'
import styles from './scripts.module.css'

type Props = { readonly script: ListedScript; readonly runsToday: number | undefined }

export function ScriptCard({ script, runsToday }: Props) {
  const project = useProject()
  const open = useOpen()
  const toggle = useToggle(script)
  const [isAsked, setIsAsked] = useState(false)
  const address = addressOf.script(project.id, script.id)
  return (
    <li className={styles.card}>
      <div className={styles.head}>
        <h2>
          <a href={address}>
            <bdi>{script.name}</bdi>
          </a>
        </h2>
        <StatusOf script={script} />
        <p className={styles.facts}>
          <span>{text.scripts.versionOf(script.version)}</span>
          {runsToday !== undefined && <strong>{text.scripts.today(runsToday)}</strong>}
          <span>{text.scripts.inAll(script.total_executions)}</span>
        </p>
        <Menu label={text.scripts.actionsOf(script.name)}>
          <MenuItem needs={WRITE} onClick={() => open(`${address}?tab=new`)}>
            {text.scripts.newVersion}
          </MenuItem>
          <MenuItem needs="users:issue" onClick={() => open(`${address}?tab=run`)}>
            {text.scripts.testRun}
          </MenuItem>
          <MenuItem needs={WRITE} onClick={() => toggle.mutate(!script.enabled)}>
            {script.enabled ? text.scripts.disable : text.scripts.enable}
          </MenuItem>
          <MenuItem needs={WRITE} isDanger onClick={() => setIsAsked(true)}>
            {text.remove}
          </MenuItem>
        </Menu>
      </div>
      <ErrorMessage of={toggle.error} />
      <details className={styles.runIt}>
        <summary>{text.scripts.runIt}</summary>
        <RunIt script={script} />
      </details>
      {isAsked && <RemoveDialog script={script} onClose={() => setIsAsked(false)} />}
    </li>
  )
}

export function StatusOf({ script }: { script: Pick<ListedScript, 'enabled' | 'free_for_all'> }) {
  return (
    <span className="bar">
      <Badge tone={script.enabled ? 'good' : 'plain'}>
        {script.enabled ? text.scripts.enabled : text.scripts.disabled}
      </Badge>
      {script.free_for_all && <Badge tone="warn">{text.scripts.freeForAll}</Badge>}
    </span>
  )
}

type Named = Pick<ListedScript, 'id' | 'name'>

/** Enables or disables a script, with undo. */
export function useToggle({ id, name }: Named) {
  const call = useCall()
  const showToast = useToast()
  const set = (state: boolean) => v1ScriptsToggle({ ...call, path: { script_id: id }, body: { state } })
  const back = useUndo(set)
  return useChange(async (state: boolean) => {
    await set(state)
    const title = state ? text.scripts.saidEnabled(name) : text.scripts.saidDisabled(name)
    showToast({ title, undo: () => back(!state) })
  })
}

type Removing = { readonly script: Named; readonly onClose: () => void; readonly onRemoved?: () => void }

export function RemoveDialog({ script, onClose, onRemoved }: Removing) {
  const call = useCall()
  const done = useUndoable(useToast())
  const remove = async () => {
    const { change_id } = (await v1ScriptsRemove({ ...call, path: { script_id: script.id } })).data
    done(text.scripts.saidRemoved(script.name), change_id)
    onRemoved?.()
  }
  return (
    <ConfirmDialog
      title={text.scripts.removeTitle(script.name)}
      words={text.scripts.removeWords}
      submit={text.remove}
      onConfirm={remove}
      onClose={onClose}
    />
  )
}
