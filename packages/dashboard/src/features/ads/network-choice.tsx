/** Lets the author choose an ad network from cards. */
import type { UseFormRegisterReturn } from 'react-hook-form'
import { adsText as t } from '../../messages/en/ads.ts'
import styles from './networks.module.css'
import { type Networks, PROVIDER_IDS } from './queries.ts'

type Props = {
  readonly networks: Networks
  readonly error: string | undefined
  readonly field: UseFormRegisterReturn
}

export function NetworkChoice({ networks, error, field }: Props) {
  return (
    <fieldset>
      <legend>{t.provider}</legend>
      <div className={styles.cards}>
        {PROVIDER_IDS.map((id) => {
          const { name, available, preset, creates_links } = networks[id]
          return (
            <label key={id} className={styles.card}>
              <input type="radio" value={id} disabled={!available} aria-label={name} {...field} />
              <strong>{name}</strong>
              <span className="hint">
                {available ? t.networkHints[preset ? id : 'other'] : t.networkOff}
                {available && creates_links && ` ${t.networkCreatesLinks}`}
              </span>
            </label>
          )
        })}
      </div>
      {error !== undefined && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}
