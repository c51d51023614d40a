/** Removes the project after the user has typed its name. */
import { v1ProjectScriptsList, v1ProjectsRemove, v1ProjectUsersList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Field } from '../../components/fields/field.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { useUndoable } from '../../components/overlays/undo-change.ts'
import { Panel } from '../../components/panel.tsx'
import { addressOf, useGoTo } from '../../lib/address.ts'
import { useMe } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import styles from './settings.module.css'

export function DangerPanel() {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Panel title={text.settings.dangerTitle} hint={text.settings.dangerHint}>
      <div className="bar between">
        <p>{text.settings.removeHint}</p>
        <GuardedButton needs="projects:write" className="danger" onClick={() => setIsOpen(true)}>
          {text.settings.remove}
        </GuardedButton>
      </div>
      {isOpen && <RemoveDialog onClose={() => setIsOpen(false)} />}
    </Panel>
  )
}

function RemoveDialog({ onClose }: { onClose: () => void }) {
  const call = useCall()
  const goTo = useGoTo()
  const done = useUndoable(useToast())
  const { id, name } = useProject()
  const [typed, setTyped] = useState('')
  const [isWrong, setIsWrong] = useState(false)
  // Navigates inside the mutation function. When queries are refreshed afterward, the project no longer
  // exists.
  const remove = useChange(async () => {
    const { change_id } = (await v1ProjectsRemove({ ...call, path: { project_id: id } })).data
    goTo(addressOf.projects)
    done(text.settings.removed(name), change_id)
  })
  const submit = () => {
    const isRight = typed.trim() === name.trim()
    setIsWrong(!isRight)
    if (isRight) remove.mutate(undefined)
  }
  return (
    <FormDialog
      title={text.settings.removeTitle(name)}
      submit={text.settings.remove}
      isDanger
      isPending={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onSubmit={submit}
    >
      <p>{text.settings.removeHint}</p>
      <Counts />
      <Field
        label={text.typeName(name)}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        error={isWrong ? text.settings.notTheName : undefined}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  )
}

/** Shows only the counts that the user has permission to read. */
function Counts() {
  const { total_executions, total_sessions } = useProject()
  const scripts = useTotal('scripts:read')
  const users = useTotal('users:read')
  return (
    <div>
      <p>{text.settings.goesWithIt}</p>
      <ul className={styles.counts}>
        {scripts !== undefined && <li>{text.settings.scripts(scripts)}</li>}
        {users !== undefined && <li>{text.settings.users(users)}</li>}
        {total_sessions > 0 && <li>{text.settings.running(total_sessions)}</li>}
        <li>{text.settings.executions(total_executions)}</li>
      </ul>
    </div>
  )
}

function useTotal(scope: 'scripts:read' | 'users:read'): number | undefined {
  const call = useCall()
  const { id } = useProject()
  const { scopes } = useMe()
  const request = { ...call, path: { project_id: id }, query: { limit: 1 } }
  const total = useQuery({
    queryKey: ['total', scope, id],
    queryFn: async () =>
      (await (scope === 'scripts:read' ? v1ProjectScriptsList(request) : v1ProjectUsersList(request))).data
        .total,
    enabled: scopes.includes(scope),
  })
  return total.data
}
