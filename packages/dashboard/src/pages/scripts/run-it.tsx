/** What users run, in the words of each kind of host, with a key filled in where one is chosen. */
import { v1ProjectUsersFilter, v1ProjectUsersList, v1ScriptsLoaderFile } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useId, useState } from 'react'
import { useCall } from '../../api.ts'
import { Complaint } from '../../parts/complaint.tsx'
import { Field } from '../../parts/field.tsx'
import { GuardedButton } from '../../parts/guarded.tsx'
import { SelectField } from '../../parts/select-field.tsx'
import { Snippet } from '../../parts/snippet.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useProject } from '../../projects.ts'
import { useRefusal } from '../../rights.ts'
import { saveText } from '../../save-text.ts'
import { text } from '../../text/text.ts'
import type { ListedScript } from './queries.ts'
import { type Runtime, snippetsOf } from './snippets.ts'

type Named = Pick<ListedScript, 'id' | 'name'>

export function RunIt({ script }: { script: Named }) {
  const [key, setKey] = useState('')
  const code = snippetsOf(
    `${location.origin}/client/v1/loader/${script.id}`,
    key.trim() || text.scripts.yourKey,
  )
  const tabs = (['executor', 'lua', 'luajit'] as const).map((id) => ({
    id,
    title: text.scripts[id],
    content: <Snippet code={code[id]} label={text.scripts[id]} />,
  }))
  const file = { id: 'file', title: text.scripts.loaderFile, content: <LoaderFile script={script} /> }
  return (
    <div className="stack">
      <p className="hint">{text.scripts.runItHint}</p>
      <KeyField value={key} onChange={setKey} />
      <Tabs label={text.scripts.runIt} tabs={[...tabs, file]} />
    </div>
  )
}

/** A field of its own, so that keys are pasted as easily as chosen. */
function KeyField({ value, onChange }: { value: string; onChange: (key: string) => void }) {
  const call = useCall()
  const project = useProject()
  const id = useId()
  const mayRead = useRefusal('users:read') === undefined
  const search = useDeferredValue(value.trim())
  const path = { project_id: project.id }
  const found = useQuery({
    queryKey: ['keys to choose', project.id, search],
    queryFn: async () => {
      const page = { ...call, path, query: { limit: 20 } }
      if (search === '') return (await v1ProjectUsersList(page)).data.users
      return (await v1ProjectUsersFilter({ ...page, query: { limit: 20, search } })).data.users
    },
    enabled: mayRead && search.length <= 100,
  })
  return (
    <>
      <Field
        label={text.scripts.key}
        hint={text.scripts.keyHint}
        list={mayRead ? id : undefined}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={id}>
        {found.data?.map((user) => (
          <option key={user.key} value={user.key}>
            {user.note ?? user.chat_id ?? ''}
          </option>
        ))}
      </datalist>
    </>
  )
}

function LoaderFile({ script }: { script: Named }) {
  const call = useCall()
  const [runtime, setRuntime] = useState<Runtime>('any')
  const [error, setError] = useState<unknown>()
  const save = async () => {
    const query = runtime === 'any' ? {} : { rt: runtime }
    try {
      const { data } = await v1ScriptsLoaderFile({ ...call, path: { script_id: script.id }, query })
      saveText(`${script.name}.loader.lua`, data)
      setError(undefined)
    } catch (caught) {
      setError(caught)
    }
  }
  const options: [Runtime, string][] = [
    ['any', text.scripts.anyRuntime],
    ['luau', 'Luau'],
    ['jit', 'LuaJIT'],
    ['51', 'Lua 5.1'],
    ['54', 'Lua 5.4'],
  ]
  return (
    <>
      <p className="hint">{text.scripts.loaderFileHint}</p>
      <div className="row">
        <SelectField
          label={text.scripts.runtime}
          value={runtime}
          options={options}
          onChange={(event) => setRuntime(event.target.value as Runtime)}
        />
        <GuardedButton needs="scripts:read" onClick={save}>
          {text.scripts.saveFile}
        </GuardedButton>
      </div>
      <Complaint of={error} />
    </>
  )
}
