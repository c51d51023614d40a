/** Chooses and orders the scripts shown to visitors. */
import { v1ProjectScriptsList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useFormContext } from 'react-hook-form'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Check, ChoiceGroup } from '../../components/fields/choice-group.tsx'
import { useRefusal } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import type { Draft } from './branding-draft.ts'
import styles from './settings.module.css'

/** Maximum number of scripts that the API accepts. */
const MAX_SCRIPTS = 100

export function ScriptsField({ error }: { error: string | undefined }) {
  const { watch, setValue } = useFormContext<Draft>()
  const isAll = watch('all_scripts')
  const choose = (all: boolean) => setValue('all_scripts', all, { shouldDirty: true })
  return (
    <ChoiceGroup legend={text.settings.shown} error={error}>
      <Check
        radio="shown-scripts"
        label={text.settings.allScripts}
        checked={isAll}
        onChange={() => choose(true)}
      />
      <Check
        radio="shown-scripts"
        label={text.settings.someScripts}
        checked={!isAll}
        onChange={() => choose(false)}
      />
      {!isAll && <Scripts />}
    </ChoiceGroup>
  )
}

function Scripts() {
  const call = useCall()
  const { id } = useProject()
  const refusal = useRefusal('scripts:read')
  const query = useQuery({
    queryKey: ['branding scripts', id],
    queryFn: async () =>
      (await v1ProjectScriptsList({ ...call, path: { project_id: id }, query: { limit: MAX_SCRIPTS } })).data
        .scripts,
    enabled: refusal === undefined,
  })
  if (refusal !== undefined) return <p className="hint">{refusal}</p>
  if (query.data?.length === 0) return <p className="hint">{text.settings.noScripts}</p>
  return (
    <>
      <ErrorMessage of={query.error} />
      <Chosen scripts={query.data ?? []} />
    </>
  )
}

type Script = { readonly id: string; readonly name: string }

/** Shown scripts come first, in the order that visitors see them. */
function Chosen({ scripts }: { scripts: readonly Script[] }) {
  const { watch, setValue } = useFormContext<Draft>()
  const chosen = watch('scripts')
  const set = (ids: string[]) => setValue('scripts', ids, { shouldDirty: true })
  const toggle = (id: string, is: boolean) => set(is ? [...chosen, id] : chosen.filter((each) => each !== id))
  const placeOf = ({ id }: Script) => (chosen.includes(id) ? chosen.indexOf(id) : chosen.length)
  const sorted = scripts.toSorted((one, other) => placeOf(one) - placeOf(other))
  return (
    <ul className={styles.scripts}>
      {sorted.map(({ id, name }) => (
        <li key={id}>
          <Check label={name} checked={chosen.includes(id)} onChange={(is) => toggle(id, is)} />
          {chosen.indexOf(id) > 0 && (
            <button
              type="button"
              className="quiet"
              aria-label={text.settings.linkUp(name)}
              onClick={() => set(earlier(chosen, id))}
            >
              ↑
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}

function earlier(ids: readonly string[], id: string): string[] {
  const at = ids.indexOf(id)
  return ids.toSpliced(at, 1).toSpliced(at - 1, 0, id)
}
