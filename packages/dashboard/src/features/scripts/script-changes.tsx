/** A script's status, and the actions that lists and the script's page offer. */
import { v1ScriptsRemove, v1ScriptsToggle } from '@scriptward/sdk'
import { Badge } from '../../components/badge.tsx'
import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { useUndoable } from '../../components/overlays/undo-change.ts'
import { useOptimistic } from '../../components/overlays/use-optimistic.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import type { ListedScript } from './queries.ts'

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

/** Enables or disables a script. The change takes effect immediately and can be undone. */
export function useToggle({ id, name }: Named) {
  const call = useCall()
  const project = useProject()
  const showToast = useToast()
  const set = (state: boolean) => v1ScriptsToggle({ ...call, path: { script_id: id }, body: { state } })
  const { mutateAsync: back } = useChange(set)
  return useOptimistic({
    change: set,
    shown: (enabled) => ({
      keys: [
        ['script', id],
        ['scripts', project.id],
      ],
      id,
      changes: { enabled },
    }),
    onDone: (state) => {
      const title = state ? text.scripts.saidEnabled(name) : text.scripts.saidDisabled(name)
      showToast({ title, undo: () => back(!state) })
    },
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
