/** Service tiers, which define account limits. */
import { adminTiersRemove } from '@scriptward/sdk'
import { useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { Menu, MenuItem } from '../../components/overlays/menu.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { type Column, Table } from '../../components/table/table.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { number } from '../../lib/format.ts'
import { operatorsText } from '../../messages/en/operators.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { type Tier, useTiers } from './queries.ts'
import { TierForm } from './tier-form.tsx'

type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'remove'; readonly tier: Tier }

/** The limits shown in the list; the form has all of them. */
const SHOWN = ['max_projects', 'max_scripts', 'max_users', 'obfuscations'] as const

const limit = (value: number) => (value < 0 ? operatorsText.unlimited : number(value))

const COLUMNS: readonly Column<Tier>[] = [
  { id: 'name', title: text.name, isMain: true, cell: ({ name }) => name },
  { id: 'id', title: operatorsText.tierId, isNumber: true, cell: ({ id }) => id },
  { id: 'price', title: operatorsText.price, isNumber: true, cell: ({ price }) => number(price) },
  ...SHOWN.map((each) => ({
    id: each,
    title: operatorsText.limits[each],
    isNumber: true,
    cell: (tier: Tier) => limit(tier[each]),
  })),
]

export function TiersPage() {
  const query = useTiers()
  const [open, setOpen] = useState<Open>()
  const tiers = query.data ?? []
  return (
    <>
      <PageTitle title={text.frame.tiers} intro={operatorsText.tiersIntro}>
        <button type="button" className="main" onClick={() => setOpen({ kind: 'new' })}>
          {operatorsText.newTier}
        </button>
      </PageTitle>
      <QueryBoundary query={query}>
        {tiers.length === 0 ? (
          <Empty title={operatorsText.emptyTiers} hint={operatorsText.emptyTiersHint} />
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
      </QueryBoundary>
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

type DialogProps = { readonly open: Open; readonly tiers: readonly Tier[]; readonly onClose: () => void }

function TierDialog({ open, tiers, onClose }: DialogProps) {
  const call = useCall()
  const showToast = useToast()
  if (open.kind === 'new') return <TierForm tiers={tiers} onClose={onClose} />
  const { tier } = open
  if (open.kind === 'edit') return <TierForm tiers={tiers} tier={tier} onClose={onClose} />
  const remove = async () => {
    await adminTiersRemove({ ...call, path: { id: tier.id } })
    showToast({ title: operatorsText.tierRemoved(tier.name) })
  }
  return (
    <ConfirmDialog
      title={operatorsText.removeTierTitle(tier.name)}
      words={operatorsText.removeTierText}
      submit={text.remove}
      onConfirm={remove}
      onClose={onClose}
    />
  )
}
