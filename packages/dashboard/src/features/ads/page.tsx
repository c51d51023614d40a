import { useState } from 'react'
import { CopyButton } from '../../components/code/copy-button.tsx'
import { Empty } from '../../components/empty.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { Menu, MenuItem, MenuLink } from '../../components/overlays/menu.tsx'
import { useDialogParam } from '../../components/overlays/use-dialog-param.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf, useOpen } from '../../lib/address.ts'
import { durationText } from '../../lib/durations.ts'
import { adsText as t } from '../../messages/en/ads.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { type AdSystem, useAdSystems, WRITE } from './queries.ts'
import { SystemForm } from './system-form.tsx'
import { SystemRemoval } from './system-removal.tsx'

type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'remove'; readonly system: AdSystem }

export function AdsPage() {
  const query = useAdSystems()
  const systems = query.data ?? []
  const [open, setOpen] = useState<Open | null>(null)
  useDialogParam({ system: WRITE }, () => setOpen({ kind: 'new' }))
  const add = (
    <GuardedButton needs={WRITE} className="main" onClick={() => setOpen({ kind: 'new' })}>
      {t.newSystem}
    </GuardedButton>
  )
  return (
    <>
      <PageTitle title={text.frame.ads} intro={t.intro}>
        {systems.length > 0 && add}
      </PageTitle>
      <QueryBoundary query={query}>
        {query.data && systems.length === 0 ? (
          <Empty title={t.noSystems} hint={t.noSystemsHint}>
            {add}
          </Empty>
        ) : (
          <ul className="rows lines" aria-label={t.systems}>
            {systems.map((system) => (
              <System key={system.id} system={system} onOpen={setOpen} />
            ))}
          </ul>
        )}
      </QueryBoundary>
      {open && <OpenDialog open={open} onClose={() => setOpen(null)} />}
    </>
  )
}

function System({ system, onOpen }: { system: AdSystem; onOpen: (open: Open) => void }) {
  const { id } = useProject()
  const { name, page_url, total_checkpoints, total_keys, total_completions, key_duration } = system
  return (
    <li>
      <div className="main-text">
        <div className="name">
          <a href={addressOf.adSystem(id, system.id)}>
            <strong>{name}</strong>
          </a>
        </div>
        <code>{page_url}</code>
        <div className="facts">
          <span>{t.steps(total_checkpoints)}</span>
          <span>{t.keysEarned(total_keys)}</span>
          <span>{t.completions(total_completions)}</span>
          <span>{t.keyLasts(durationText(key_duration))}</span>
        </div>
      </div>
      <div className="actions">
        <CopyButton value={page_url} />
        <Menu label={`${text.frame.actions}: ${name}`}>
          <MenuLink href={page_url}>{t.openPage}</MenuLink>
          <MenuItem needs={WRITE} onClick={() => onOpen({ kind: 'edit', system })}>
            {t.edit}
          </MenuItem>
          <MenuItem needs={WRITE} isDanger onClick={() => onOpen({ kind: 'remove', system })}>
            {text.remove}
          </MenuItem>
        </Menu>
      </div>
    </li>
  )
}

function OpenDialog({ open, onClose }: { open: Open; onClose: () => void }) {
  const goTo = useOpen()
  const { id } = useProject()
  if (open.kind === 'remove') return <SystemRemoval system={open.system} onClose={onClose} />
  if (open.kind === 'edit') return <SystemForm system={open.system} onClose={onClose} />
  return <SystemForm onClose={onClose} onMade={(system) => goTo(addressOf.adSystem(id, system))} />
}
