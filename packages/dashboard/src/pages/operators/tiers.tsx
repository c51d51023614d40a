/** Tiers of the service: how much accounts may use. */
import { adminTiersRemove } from '@scriptward/sdk'
import { useState } from 'react'
import { useCall } from '../../api.ts'
import { number } from '../../format.ts'
import { ConfirmDialog } from '../../parts/dialog.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { type Column, Table } from '../../parts/table/table.tsx'
import { useSay } from '../../parts/toasts.tsx'
import { text } from '../../text/text.ts'
import { Waiting } from '../trouble.tsx'
import { type Tier, useTiers } from './customers-api.ts'
import { TierForm } from './tier-form.tsx'

type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'remove'; readonly tier: Tier }

/** The others are in the form. */
const SHOWN = ['max_projects', 'max_scripts', 'max_users', 'obfuscations'] as const

const limit = (value: number) => (value < 0 ? text.operators.unlimited : number(value))

const COLUMNS: readonly Column<Tier>[] = [
  { id: 'name', title: text.name, isMain: true, cell: ({ name }) => name },
  { id: 'id', title: text.operators.tierId, isNumber: true, cell: ({ id }) => id },
  { id: 'price', title: text.operators.price, isNumber: true, cell: ({ price }) => number(price) },
  ...SHOWN.map((each) => ({
    id: each,
    title: text.operators.limits[each],
    isNumber: true,
    cell: (tier: Tier) => limit(tier[each]),
  })),
]

export function TiersPage() {
  const asked = useTiers()
  const [open, setOpen] = useState<Open>()
  const tiers = asked.data ?? []
  return (
    <>
      <PageTitle title={text.frame.tiers} intro={text.operators.tiersIntro}>
        <button type="button" className="main" onClick={() => setOpen({ kind: 'new' })}>
          {text.operators.newTier}
        </button>
      </PageTitle>
      <Waiting asked={asked}>
        {tiers.length === 0 ? (
          <Empty title={text.operators.emptyTiers} hint={text.operators.emptyTiersHint} />
        ) : (
          <Table
            label={text.frame.tiers}
            rows={tiers}
            keyOf={({ id }) => String(id)}
            columns={COLUMNS}
            total={tiers.length}
            onOpen={(tier) => setOpen({ kind: 'edit', tier })}
            actions={(tier) => <Actions tier={tier} onOpen={setOpen} />}
          />
        )}
      </Waiting>
      {open && <TierDialog open={open} tiers={tiers} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function Actions({ tier, onOpen }: { tier: Tier; onOpen: (open: Open) => void }) {
  return (
    <Menu label={text.itsName(text.frame.actions, tier.name)}>
      <MenuItem onClick={() => onOpen({ kind: 'edit', tier })}>{text.edit}</MenuItem>
      <MenuItem isDanger onClick={() => onOpen({ kind: 'remove', tier })}>
        {text.remove}
      </MenuItem>
    </Menu>
  )
}

type DialogGiven = { readonly open: Open; readonly tiers: readonly Tier[]; readonly onClose: () => void }

function TierDialog({ open, tiers, onClose }: DialogGiven) {
  const call = useCall()
  const say = useSay()
  if (open.kind === 'new') return <TierForm tiers={tiers} onClose={onClose} />
  const { tier } = open
  if (open.kind === 'edit') return <TierForm tiers={tiers} tier={tier} onClose={onClose} />
  const remove = async () => {
    await adminTiersRemove({ ...call, path: { id: tier.id } })
    say({ title: text.operators.tierRemoved(tier.name) })
  }
  return (
    <ConfirmDialog
      title={text.operators.removeTierTitle(tier.name)}
      words={text.operators.removeTierText}
      submit={text.remove}
      onConfirm={remove}
      onClose={onClose}
    />
  )
}
