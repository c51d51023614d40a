/** All dashboard users: creates password reset links and locks accounts. */
import {
  adminPeopleDisable,
  adminPeopleEnable,
  adminPeopleObjection,
  adminPeopleReset,
} from '@scriptward/sdk'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { SecretDialog } from '../../components/code/secret.tsx'
import { Empty } from '../../components/empty.tsx'
import { Check } from '../../components/fields/choice-group.tsx'
import { ConfirmDialog, FormDialog } from '../../components/overlays/dialog.tsx'
import { Menu, MenuItem } from '../../components/overlays/menu.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { LoadedSearch, useLoadedSearch } from '../../components/table/loaded-search.tsx'
import { type Column, ShownOf, Table } from '../../components/table/table.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { type ListedPerson, usePeople } from './queries.ts'

type Open = { readonly kind: 'reset' | 'restore' | 'disable'; readonly person: ListedPerson }

const COLUMNS: readonly Column<ListedPerson>[] = [
  {
    id: 'person',
    title: text.operators.person,
    isMain: true,
    cell: ({ email, name }) => (
      <>
        {email} <span className="hint">{name}</span>
      </>
    ),
  },
  {
    id: 'status',
    title: text.operators.status,
    cell: ({ disabled, has_second_factor, passkeys }) => (
      <span className="bar">
        {disabled ? (
          <Badge tone="bad">{text.operators.disabled}</Badge>
        ) : (
          <Badge tone="good">{text.operators.active}</Badge>
        )}
        {(has_second_factor || passkeys > 0) && <Badge tone="plain">{text.operators.secondFactor}</Badge>}
      </span>
    ),
  },
  {
    id: 'accounts',
    title: text.operators.accounts,
    cell: ({ accounts }) =>
      accounts.map(({ email, role }) => `${email} (${text.roleNames[role] ?? role})`).join(', ') ||
      text.operators.noAccounts,
  },
  {
    id: 'sign-in',
    title: text.operators.lastSignIn,
    cell: ({ last_sign_in_at }) =>
      last_sign_in_at === null ? text.operators.neverSignedIn : <Time at={last_sign_in_at} />,
  },
]

export function PeopleList() {
  const { query, rows, more, total } = usePeople()
  const [open, setOpen] = useState<Open>()
  const textOf = ({ email, name, accounts }: ListedPerson) =>
    [email, name, ...accounts.map((account) => account.email)].join(' ')
  const search = useLoadedSearch(rows, more, textOf)
  const close = () => setOpen(undefined)
  return (
    <QueryBoundary query={query}>
      <div className="bar between">
        <LoadedSearch title={text.operators.searchPeople} value={search.sought} onChange={search.setSought} />
        <ShownOf shown={search.found.length} total={total} />
      </div>
      {search.isNothing ? (
        <Empty title={text.operators.noneFound} hint={text.operators.noneFoundHint} />
      ) : (
        <Table
          label={text.operators.peopleTab}
          rows={search.found}
          keyOf={({ id }) => id}
          columns={COLUMNS}
          total={total}
          more={more}
          actions={(person) => <Actions person={person} onOpen={setOpen} />}
        />
      )}
      {open?.kind === 'reset' && <ResetDialog person={open.person} onClose={close} />}
      {open?.kind === 'restore' && <RestoreDialog person={open.person} onClose={close} />}
      {open?.kind === 'disable' && <DisableDialog person={open.person} onClose={close} />}
    </QueryBoundary>
  )
}

function Actions({ person, onOpen }: { person: ListedPerson; onOpen: (open: Open) => void }) {
  const call = useCall()
  const showToast = useToast()
  const enable = useChange(async () => {
    await adminPeopleEnable({ ...call, path: { id: person.id } })
    showToast({ title: text.operators.wasEnabled(person.email) })
  })
  return (
    <Menu label={text.itsName(text.frame.actions, person.email)}>
      <MenuItem onClick={() => onOpen({ kind: 'reset', person })}>{text.operators.resetPerson}</MenuItem>
      <MenuItem onClick={() => onOpen({ kind: 'restore', person })}>{text.operators.restoreOwner}</MenuItem>
      {person.disabled ? (
        <MenuItem onClick={() => enable.mutate(undefined)}>{text.operators.enable}</MenuItem>
      ) : (
        <MenuItem isDanger onClick={() => onOpen({ kind: 'disable', person })}>
          {text.operators.disable}
        </MenuItem>
      )}
    </Menu>
  )
}

type DialogProps = { readonly person: ListedPerson; readonly onClose: () => void }

function DisableDialog({ person: { id, email }, onClose }: DialogProps) {
  const call = useCall()
  return (
    <ConfirmDialog
      title={text.operators.disableTitle(email)}
      words={text.operators.disableText}
      submit={text.operators.disable}
      onConfirm={() => adminPeopleDisable({ ...call, path: { id } })}
      onClose={onClose}
    />
  )
}

function RestoreDialog({ person: { id, email }, onClose }: DialogProps) {
  const call = useCall()
  const [link, setLink] = useState<string>()
  const restore = useChange(async () =>
    setLink((await adminPeopleObjection({ ...call, path: { id }, body: {} })).data.link),
  )
  const title = text.operators.restoreOwnerTitle(email)
  if (link !== undefined)
    return (
      <SecretDialog title={title} value={link} hint={text.operators.restoreOwnerText} onClose={onClose} />
    )
  return (
    <FormDialog
      title={title}
      submit={text.operators.makeLink}
      isPending={restore.isPending}
      error={restore.error}
      onClose={onClose}
      onSubmit={() => restore.mutate(undefined)}
    >
      <p>{text.operators.restoreOwnerText}</p>
    </FormDialog>
  )
}

function ResetDialog({ person: { id, email }, onClose }: DialogProps) {
  const call = useCall()
  const [factors, setFactors] = useState(false)
  const [link, setLink] = useState<string>()
  const reset = useChange(async () =>
    setLink((await adminPeopleReset({ ...call, path: { id }, body: { factors } })).data.link),
  )
  const title = text.operators.resetPersonTitle(email)
  if (link !== undefined)
    return <SecretDialog title={title} value={link} hint={text.operators.resetPersonText} onClose={onClose} />
  return (
    <FormDialog
      title={title}
      submit={text.operators.makeLink}
      isPending={reset.isPending}
      error={reset.error}
      onClose={onClose}
      onSubmit={() => reset.mutate(undefined)}
    >
      <p>{text.operators.resetPersonText}</p>
      <Check
        label={text.operators.alsoFactors}
        hint={text.operators.alsoFactorsHint}
        checked={factors}
        onChange={setFactors}
      />
    </FormDialog>
  )
}
