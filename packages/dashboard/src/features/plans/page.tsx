import { useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { useDialogParam } from '../../components/overlays/use-dialog-param.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { RowActions } from '../../components/row-actions.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf } from '../../lib/address.ts'
import { featureTexts, limitTexts } from '../../lib/plan-texts.ts'
import { text } from '../../messages/text.ts'
import { clockText, type Plan, usePlans } from '../../queries/plans.ts'
import { useProject } from '../../queries/projects.ts'
import { PlanForm } from './form.tsx'
import styles from './plans.module.css'
import { PlanRemoval } from './removal.tsx'

const t = text.plans
const WRITE = 'projects:write'
type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'remove'; readonly plan: Plan }

export function PlansPage() {
  const query = usePlans()
  const plans = query.data ?? []
  const [open, setOpen] = useState<Open | null>(null)
  useDialogParam({ plan: WRITE }, () => setOpen({ kind: 'new' }))
  const add = (
    <GuardedButton needs={WRITE} className="main" onClick={() => setOpen({ kind: 'new' })}>
      {t.newPlan}
    </GuardedButton>
  )
  return (
    <>
      <PageTitle title={text.frame.plans} intro={t.intro}>
        {plans.length > 0 && add}
      </PageTitle>
      <QueryBoundary query={query}>
        {plans.length === 0 ? (
          <Empty title={t.noneTitle} hint={t.noneHint}>
            {add}
          </Empty>
        ) : (
          <ul className="rows lines" aria-label={t.list}>
            {plans.map((plan) => (
              <Line key={plan.id} plan={plan} onOpen={setOpen} />
            ))}
          </ul>
        )}
      </QueryBoundary>
      {open && <OpenDialog open={open} plans={plans} onClose={() => setOpen(null)} />}
    </>
  )
}

function Line({ plan, onOpen }: { plan: Plan; onOpen: (open: Open) => void }) {
  const { id } = useProject()
  const features = featureTexts(plan.features)
  return (
    <li>
      <div className="main-text">
        <div className="name">
          <strong>{plan.name}</strong>
        </div>
        <div className="facts">
          <span>{clockText(plan.clock)}</span>
          <a
            href={addressOf.project(id, 'users', { plan_id: plan.id })}
            aria-label={t.usersOf(plan.users, plan.name)}
          >
            {t.users(plan.users)}
          </a>
          {limitTexts(plan).map((each) => (
            <span key={each}>{each}</span>
          ))}
        </div>
        {features.length > 0 && (
          <ul className={styles.features} aria-label={t.featuresOf(plan.name)}>
            {features.map((each) => (
              <li key={each} className="badge plain">
                {each}
              </li>
            ))}
          </ul>
        )}
      </div>
      <RowActions
        of={plan.name}
        actions={[
          {
            label: t.edit,
            name: t.editOf(plan.name),
            needs: WRITE,
            onClick: () => onOpen({ kind: 'edit', plan }),
          },
          {
            label: text.remove,
            name: t.removeTitle(plan.name),
            needs: WRITE,
            isDanger: true,
            onClick: () => onOpen({ kind: 'remove', plan }),
          },
        ]}
      />
    </li>
  )
}

type OpenProps = { readonly open: Open; readonly plans: readonly Plan[]; readonly onClose: () => void }

function OpenDialog({ open, plans, onClose }: OpenProps) {
  if (open.kind === 'new') return <PlanForm onClose={onClose} />
  if (open.kind === 'edit') return <PlanForm plan={open.plan} onClose={onClose} />
  const now = plans.find(({ id }) => id === open.plan.id) ?? open.plan
  return <PlanRemoval plan={now} others={plans.filter(({ id }) => id !== now.id)} onClose={onClose} />
}
