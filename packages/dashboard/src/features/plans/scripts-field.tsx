import { useFormContext } from 'react-hook-form'
import { Check, ChoiceGroup } from '../../components/fields/choice-group.tsx'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { useScriptNames } from '../../queries/scripts.ts'
import type { Draft } from './draft.ts'
import styles from './plans.module.css'

const t = text.plans

export function ScriptsField({ error }: { error: string | undefined }) {
  const { watch, setValue } = useFormContext<Draft>()
  const [isAll, chosen] = watch(['all_scripts', 'scripts'])
  const names = useScriptNames(useProject().id)
  const scripts = [...new Set([...names.keys(), ...chosen])]
  const toggle = (id: string, is: boolean) =>
    setValue('scripts', is ? [...chosen, id] : chosen.filter((each) => each !== id))
  return (
    <ChoiceGroup legend={t.scripts} error={error}>
      <Check
        radio="plan-scripts"
        label={t.allScripts}
        checked={isAll}
        onChange={() => setValue('all_scripts', true)}
      />
      <Check
        radio="plan-scripts"
        label={t.someScripts}
        checked={!isAll}
        onChange={() => setValue('all_scripts', false)}
      />
      {!isAll && scripts.length === 0 && <p className="hint">{t.noScripts}</p>}
      {!isAll && scripts.length > 0 && (
        <ul className={styles.scripts}>
          {scripts.map((id) => (
            <li key={id}>
              <Check
                label={names.get(id) ?? id}
                checked={chosen.includes(id)}
                onChange={(is) => toggle(id, is)}
              />
            </li>
          ))}
        </ul>
      )}
    </ChoiceGroup>
  )
}
