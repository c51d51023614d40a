/** A project's scripts with the places and games in which they run, and the default script. */
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { Panel } from '../../components/panel.tsx'
import { RowButton } from '../../components/row-button.tsx'
import { type Column, Table } from '../../components/table/table.tsx'
import { addressOf } from '../../lib/address.ts'
import { useRefusal } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { useChange } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { EditTargets } from './edit-targets.tsx'
import { type HubScript, useEditTargets, WRITE } from './queries.ts'

const t = text.hub
const MAX_SHOWN = 3

type Props = { readonly scripts: readonly HubScript[] }

export function Scripts({ scripts }: Props) {
  const { id } = useProject()
  const [edited, setEdited] = useState<string | null>(null)
  const script = scripts.find((one) => one.id === edited)
  return (
    <Panel title={t.scripts} hint={t.scriptsHint}>
      <Table
        label={t.scripts}
        rows={scripts}
        keyOf={(row) => row.id}
        columns={columnsOf(id)}
        actions={(row) => (
          <RowButton needs={WRITE} label={t.edit} of={row.name} onClick={() => setEdited(row.id)} />
        )}
      />
      <DefaultScript scripts={scripts} />
      {script && <EditTargets script={script} onClose={() => setEdited(null)} />}
    </Panel>
  )
}

function columnsOf(projectId: string): readonly Column<HubScript>[] {
  return [
    {
      id: 'script',
      title: t.script,
      isMain: true,
      cell: ({ id, name, isDefault, isEnabled }) => (
        <>
          <a href={addressOf.script(projectId, id)}>
            <bdi>{name}</bdi>
          </a>{' '}
          {isDefault && <Badge tone="plain">{t.isDefault}</Badge>}{' '}
          {!isEnabled && <Badge tone="plain">{text.scripts.disabled}</Badge>}
        </>
      ),
    },
    { id: 'runs-in', title: t.runsIn, place: 'below', cell: (script) => <RunsIn script={script} /> },
  ]
}

function RunsIn({ script: { places, games, isDefault } }: { script: HubScript }) {
  if (places.length + games.length === 0 && !isDefault) return <span className="hint">{t.nowhere}</span>
  return (
    <>
      {places.length > 0 && <div>{t.placesOf(places.length, shortened(places))}</div>}
      {games.length > 0 && <div>{t.gamesOf(games.length, shortened(games))}</div>}
      {isDefault && <div>{t.elsewhere}</div>}
    </>
  )
}

function shortened(ids: readonly string[]): string {
  const shown = ids.slice(0, MAX_SHOWN).join(', ')
  return ids.length > MAX_SHOWN ? `${shown} ${t.others(ids.length - MAX_SHOWN)}` : shown
}

/** Unsets the old default first, because a project can have only one default script. */
function DefaultScript({ scripts }: Props) {
  const edit = useEditTargets()
  const showToast = useToast()
  const refusal = useRefusal(WRITE)
  const before = scripts.find(({ isDefault }) => isDefault)
  const save = useChange(async (id: string) => {
    const after = scripts.find((one) => one.id === id)
    if (before) await edit(before, {}, false)
    try {
      if (after) await edit(after, {}, true)
    } catch (error) {
      // Otherwise, the hub would have no default script at all.
      if (before) await edit({ ...before, isDefault: false }, {}, true).catch(() => {})
      throw error
    }
    showToast({ title: t.saved })
  })
  const chosen = save.isPending ? save.variables : (before?.id ?? '')
  return (
    <>
      <SelectField
        label={t.defaultScript}
        hint={refusal ?? t.defaultHint}
        disabled={refusal !== undefined || save.isPending}
        value={chosen}
        options={[['', t.noDefault], ...scripts.map(({ id, name }) => [id, name] as const)]}
        onChange={(event) => save.mutate(event.target.value)}
      />
      <ErrorMessage of={save.error} />
    </>
  )
}
