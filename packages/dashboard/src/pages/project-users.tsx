/** The user keys of a project: make, copy, unbind, remove; a page of them at a time. */
import {
  type V1ProjectUsersListResponse,
  v1ProjectUsersCreate,
  v1ProjectUsersList,
  v1UsersRemove,
  v1UsersReset,
} from '@scriptward/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useCall, useChange } from '../api.ts'
import { Complaint } from '../parts/complaint.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { ConfirmDialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { GuardedButton } from '../parts/guarded.tsx'
import { text } from '../text.ts'

type User = V1ProjectUsersListResponse['users'][number]
const PAGE = 50

export function ProjectUsers({ projectId }: { projectId: string }) {
  const call = useCall()
  const [limit, setLimit] = useState(PAGE)
  const list = useQuery({
    queryKey: ['users', projectId, limit],
    queryFn: async () =>
      (await v1ProjectUsersList({ ...call, path: { project_id: projectId }, query: { limit } })).data.users,
    placeholderData: keepPreviousData,
  })
  return (
    <section className="stack">
      <h2>{text.users}</h2>
      <Complaint of={list.error} />
      {list.data?.length === 0 ? (
        <p className="hint">{text.noUsers}</p>
      ) : (
        <UserTable users={list.data ?? []} />
      )}
      {list.data?.length === limit && (
        <button type="button" onClick={() => setLimit(limit + PAGE)}>
          {text.more}
        </button>
      )}
      <NewUser projectId={projectId} />
    </section>
  )
}

function UserTable({ users }: { users: readonly User[] }) {
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th>{text.key}</th>
            <th>{text.note}</th>
            <th>{text.expires}</th>
            <th>{text.device}</th>
            <th>{text.executions}</th>
            <th />
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <UserRow key={user.key} user={user} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const WRITE = 'users:write'

function UserRow({ user }: { user: User }) {
  const call = useCall()
  const path = { user_key: user.key }
  const reset = useChange(() => v1UsersReset({ ...call, path, body: { force: true } }))
  const [isAsked, setIsAsked] = useState(false)
  return (
    <tr>
      <td>
        <code>{user.key}</code> <CopyButton value={user.key} />
        <Complaint of={reset.error} />
      </td>
      <td>{user.note}</td>
      <td>{user.key_expires === null ? text.never : new Date(user.key_expires).toLocaleString()}</td>
      <td>{user.fingerprint_assigned ? text.bound : text.unbound}</td>
      <td>{user.executions}</td>
      <td className="actions">
        {user.fingerprint_assigned && (
          <GuardedButton needs={WRITE} onClick={() => reset.mutate(undefined)}>
            {text.reset}
          </GuardedButton>
        )}
        <GuardedButton needs={WRITE} className="danger" onClick={() => setIsAsked(true)}>
          {text.remove}
        </GuardedButton>
        {isAsked && (
          <ConfirmDialog
            title={text.removeUserTitle(user.note ?? '')}
            words={text.removeUser}
            submit={text.remove}
            onConfirm={() => v1UsersRemove({ ...call, path })}
            onClose={() => setIsAsked(false)}
          />
        )}
      </td>
    </tr>
  )
}

function NewUser({ projectId }: { projectId: string }) {
  const call = useCall()
  const [note, setNote] = useState('')
  const create = useChange((given: string) =>
    v1ProjectUsersCreate({
      ...call,
      path: { project_id: projectId },
      body: given === '' ? {} : { note: given },
    }),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate(note, { onSuccess: () => setNote('') })
  }
  return (
    <form onSubmit={submit} className="row">
      <Field label={text.note} value={note} onChange={(event) => setNote(event.target.value)} />
      <GuardedButton needs="users:issue" type="submit" className="main" disabled={create.isPending}>
        {text.newUser}
      </GuardedButton>
      <Complaint of={create.error} />
    </form>
  )
}
