/** Shows how customers run the script on each kind of host, with their key filled in if one is chosen. */
import { v1ProjectUsersFilter, v1ProjectUsersList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useId, useState } from 'react'
import { Field } from '../../components/fields/field.tsx'
import { Loaders } from '../../components/loaders.tsx'
import { useRefusal } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import type { ListedScript } from './queries.ts'

type Named = Pick<ListedScript, 'id' | 'name'>

export function RunIt({ script }: { script: Named }) {
  const [key, setKey] = useState('')
  return (
    <div className="stack">
      <p className="hint">{text.scripts.runItHint}</p>
      <KeyField value={key} onChange={setKey} />
      <Loaders script={script} userKey={key.trim() || text.scripts.yourKey} />
    </div>
  )
}

/** Lets the user paste a key or choose one. */
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
