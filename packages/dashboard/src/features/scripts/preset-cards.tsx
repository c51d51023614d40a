/** Choice of a preset, with the benefit and the cost of each. */
import { protectionText } from '../../messages/en/protection.ts'
import { text } from '../../messages/text.ts'
import type { OptionList } from './queries.ts'
import styles from './scripts.module.css'

const t = protectionText
const GUIDE = '/guide/presets'

type Props = {
  readonly list: OptionList
  readonly chosen: string
  readonly error: string | undefined
  readonly onChoose: (id: string) => void
}

export function PresetCards({ list: { presets, default_preset }, chosen, error, onChoose }: Props) {
  return (
    <fieldset>
      <legend>{text.scripts.protection}</legend>
      <div className="choices">
        {presets.map((preset) => (
          <label key={preset.id} className="choice">
            <input
              type="radio"
              className="unseen"
              name="preset"
              checked={preset.id === chosen}
              onChange={() => onChoose(preset.id)}
            />
            <Card preset={preset} isDefault={preset.id === default_preset} />
          </label>
        ))}
      </div>
      {error !== undefined && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
      <p className={`hint ${styles.measured}`}>
        {t.measured}{' '}
        <a href={GUIDE} target="_blank" rel="noreferrer">
          {t.guide}
        </a>
      </p>
    </fieldset>
  )
}

type CardProps = { readonly preset: OptionList['presets'][number]; readonly isDefault: boolean }

function Card({ preset: { id, name, description }, isDefault }: CardProps) {
  const words = t.presets[id]
  return (
    <span className={`card ${styles.presetCard}`}>
      <span className={styles.presetName}>
        <strong>{name}</strong>
        {isDefault && <span className="badge plain">{t.byDefault}</span>}
      </span>
      <span className="hint">{words?.benefit ?? description}</span>
      {words && (
        <>
          <span className="hint">{words.use}</span>
          <span className={styles.cost}>
            <span>
              {t.runTime} <b>{words.runTime}</b>
            </span>
            <span>
              {t.size} <b>{words.size}</b>
            </span>
          </span>
        </>
      )}
    </span>
  )
}
