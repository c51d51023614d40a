/** Filters runs by customer, found by name, Discord account or key. */
import { v1ProjectUsersFilter } from '@scriptward/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Field } from '../../components/fields/field.tsx'
import styles from '../../components/sentence/sentence.module.css'
import { Token } from '../../components/sentence/token.tsx'
import { useFilters } from '../../lib/address.ts'
import { customerName, type Named } from '../../lib/customer-name.ts'
import { usePaused } from '../../lib/use-paused.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'

const SHORTEST = 2
const SHOWN = 8

export function CustomerToken() {
  const t = text.logs
  const [{ user_key }, change] = useFilters()
  const { found } = useSearch(user_key ?? '')
  const known = found?.find((each) => each.user_key === user_key)
  const unknown = { user_key: user_key ?? null, note: null, chat_id: null }
  return (
    <Token
      title={t.customer}
      words={user_key === undefined ? t.any.customer : customerName(known ?? unknown)}
      isSet={user_key !== undefined}
      onClear={() => change({ user_key: undefined })}
    >
      {(close) => (
        <Search
          onChoose={(key) => {
            change({ user_key: key })
            close()
          }}
        />
      )}
    </Token>
  )
}

function Search({ onChoose }: { onChoose: (key: string) => void }) {
  const t = text.logs
  const [typed, setTyped] = useState('')
  const { found } = useSearch(usePaused(typed.trim()))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (typed.trim() !== '') onChoose(typed.trim())
  }
  return (
    <form className="stack tight" onSubmit={submit}>
      <Field
        label={t.findCustomer}
        hint={t.findCustomerHint}
        type="search"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <ul className={styles.options}>
        {found?.map((each) => (
          <li key={each.user_key}>
            <button type="button" className="quiet" onClick={() => onChoose(each.user_key)}>
              <bdi>{customerName(each)}</bdi>
            </button>
          </li>
        ))}
      </ul>
      {found?.length === 0 && <p className="hint">{t.noCustomer}</p>}
    </form>
  )
}

function useSearch(search: string): {
  readonly found: readonly (Named & { user_key: string })[] | undefined
} {
  const call = useCall()
  const { id } = useProject()
  const isEnabled = search.length >= SHORTEST
  const query = useQuery({
    queryKey: ['log customers', id, search],
    queryFn: async ({ signal }) => {
      const filter = { search, limit: SHOWN, order: 'newest' } as const
      const given = { path: { project_id: id }, query: filter, signal }
      const { users } = (await v1ProjectUsersFilter({ ...call, ...given })).data
      return users.map(({ key, note, chat_id }) => ({ user_key: key, note, chat_id }))
    },
    enabled: isEnabled,
    placeholderData: keepPreviousData,
  })
  return { found: isEnabled ? query.data : undefined }
}
