import { useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { RowActions } from '../../components/row-actions.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { text } from '../../messages/text.ts'
import { usePlans } from '../../queries/plans.ts'
import { useProject } from '../../queries/projects.ts'
import { useScriptNames } from '../../queries/scripts.ts'
import { Announcements } from './announcements.tsx'
import { previewOf } from './draft.ts'
import { VariableForm } from './form.tsx'
import { useReplace, useVariables, type Variable, type VariableSet } from './queries.ts'
import styles from './variables.module.css'

const WRITE = 'projects:write'
type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'remove'; readonly name: string }
const NONE: VariableSet = { version: 0, variables: {} }

export function VariablesPage() {
  const t = text.variables
  const query = useVariables()
  const set = query.data ?? NONE
  const [open, setOpen] = useState<Open | null>(null)
  const entries = Object.entries(set.variables).sort(([one], [other]) => (one < other ? -1 : 1))
  const add = (
    <GuardedButton needs={WRITE} className="main" onClick={() => setOpen({ kind: 'new' })}>
      {t.newVariable}
    </GuardedButton>
  )
  return (
    <>
      <PageTitle title={text.frame.variables} intro={t.intro}>
        {entries.length > 0 && add}
      </PageTitle>
      <QueryBoundary query={query}>
        {entries.length === 0 ? (
          <Empty title={t.noneTitle} hint={t.noneHint}>
            {add}
          </Empty>
        ) : (
          <ul className="rows lines" aria-label={t.list}>
            {entries.map(([name, variable]) => (
              <Line key={name} name={name} variable={variable} onOpen={setOpen} />
            ))}
          </ul>
        )}
      </QueryBoundary>
      <Announcements />
      {open?.kind === 'remove' && <Removal set={set} name={open.name} onClose={() => setOpen(null)} />}
      {open && open.kind !== 'remove' && (
        <VariableForm
          set={set}
          name={open.kind === 'edit' ? open.name : undefined}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  )
}

type LineProps = {
  readonly name: string
  readonly variable: Variable
  readonly onOpen: (open: Open) => void
}

function Line({ name, variable, onOpen }: LineProps) {
  const t = text.variables
  return (
    <li>
      <div className="main-text">
        <div className="name">
          <code>{name}</code>
        </div>
        <code className={`facts ${styles.value}`} dir="auto">
          {previewOf(variable.value)}
        </code>
        <ForWhom variable={variable} />
      </div>
      <RowActions
        of={name}
        actions={[
          {
            label: t.edit,
            name: t.editOf(name),
            needs: WRITE,
            onClick: () => onOpen({ kind: 'edit', name }),
          },
          {
            label: text.remove,
            name: t.removeTitle(name),
            needs: WRITE,
            isDanger: true,
            onClick: () => onOpen({ kind: 'remove', name }),
          },
        ]}
      />
    </li>
  )
}

function ForWhom({ variable: { scripts, plans } }: { variable: Variable }) {
  const t = text.variables
  const scriptNames = useScriptNames(useProject().id)
  const planNames = new Map((usePlans().data ?? []).map(({ id, name }) => [id, name]))
  if (scripts === null && plans === null) return null
  const listed = (ids: readonly string[], names: ReadonlyMap<string, string>) =>
    ids.map((id) => names.get(id) ?? id).join(', ')
  return (
    <div className="facts">
      {scripts && <span>{t.ofScripts(listed(scripts, scriptNames))}</span>}
      {plans && <span>{t.ofPlans(listed(plans, planNames))}</span>}
    </div>
  )
}

type RemovalProps = { readonly set: VariableSet; readonly name: string; readonly onClose: () => void }

function Removal({ set, name, onClose }: RemovalProps) {
  const [first] = useState(set)
  const replace = useReplace(first, () => {})
  const { [name]: _, ...others } = first.variables
  return (
    <ConfirmDialog
      title={text.variables.removeTitle(name)}
      words={text.variables.removeWords}
      submit={text.remove}
      onConfirm={() => replace.mutateAsync(others)}
      onClose={onClose}
    />
  )
}
