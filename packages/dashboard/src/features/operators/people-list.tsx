/** All dashboard users, with password reset links and account locks. */
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
import { operatorsText } from '../../messages/en/operators.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { type ListedPerson, usePeople } from './queries.ts'

type Open = { readonly kind: 'reset' | 'restore' | 'disable'; readonly person: ListedPerson }

const COLUMNS: readonly Column<ListedPerson>[] = [
  {
    id: 'person',
    title: operatorsText.person,
    isMain: true,
    cell: ({ email, name }) => (
      <>
        {email} <span className="hint">{name}</span>
      </>
    ),
  },
  {
    id: 'status',
    title: operatorsText.status,
    place: 'end',
    cell: ({ disabled, has_second_factor, passkeys }) => (
      <span className="bar">
        {disabled ? (
          <Badge tone="bad">{operatorsText.disabled}</Badge>
        ) : (
          <Badge tone="good">{operatorsText.active}</Badge>
        )}
        {(has_second_factor || passkeys > 0) && <Badge tone="plain">{operatorsText.secondFactor}</Badge>}
      </span>
    ),
  },
  {
    id: 'accounts',
    title: operatorsText.accounts,
    place: 'below',
    cell: ({ accounts }) =>
      accounts.map(({ email, role }) => `${email} (${text.roleNames[role] ?? role})`).join(', ') ||
      operatorsText.noAccounts,
  },
  {
    id: 'sign-in',
    title: operatorsText.lastSignIn,
    place: 'end-below',
    cell: ({ last_sign_in_at }) =>
      last_sign_in_at === null ? operatorsText.neverSignedIn : <Time at={last_sign_in_at} />,
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
        <LoadedSearch title={operatorsText.searchPeople} value={search.sought} onChange={search.setSought} />
        <ShownOf shown={search.found.length} total={total} />
      </div>
      {search.isNothing ? (
        <Empty title={operatorsText.noneFound} hint={operatorsText.noneFoundHint} />
      ) : (
        <Table
          label={operatorsText.peopleTab}
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
    showToast({ title: operatorsText.wasEnabled(person.email) })
  })
  return (
    <Menu label={text.itsName(text.frame.actions, person.email)}>
      <MenuItem onClick={() => onOpen({ kind: 'reset', person })}>{operatorsText.resetPerson}</MenuItem>
      <MenuItem onClick={() => onOpen({ kind: 'restore', person })}>{operatorsText.restoreOwner}</MenuItem>
      {person.disabled ? (
        <MenuItem onClick={() => enable.mutate(undefined)}>{operatorsText.enable}</MenuItem>
      ) : (
        <MenuItem isDanger onClick={() => onOpen({ kind: 'disable', person })}>
          {operatorsText.disable}
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
      title={operatorsText.disableTitle(email)}
      words={operatorsText.disableText}
      submit={operatorsText.disable}
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
  const title = operatorsText.restoreOwnerTitle(email)
  if (link !== undefined)
    return <SecretDialog title={title} value={link} hint={operatorsText.restoreOwnerText} onClose={onClose} />
  return (
    <FormDialog
      title={title}
      submit={operatorsText.makeLink}
      isPending={restore.isPending}
      error={restore.error}
      onClose={onClose}
      onSubmit={() => restore.mutate(undefined)}
    >
      <p>{operatorsText.restoreOwnerText}</p>
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
  const title = operatorsText.resetPersonTitle(email)
  if (link !== undefined)
    return <SecretDialog title={title} value={link} hint={operatorsText.resetPersonText} onClose={onClose} />
  return (
    <FormDialog
      title={title}
      submit={operatorsText.makeLink}
      isPending={reset.isPending}
      error={reset.error}
      onClose={onClose}
      onSubmit={() => reset.mutate(undefined)}
    >
      <p>{operatorsText.resetPersonText}</p>
      <Check
        label={operatorsText.alsoFactors}
        hint={operatorsText.alsoFactorsHint}
        checked={factors}
        onChange={setFactors}
      />
    </FormDialog>
  )
}
