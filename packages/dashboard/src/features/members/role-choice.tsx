/** Role cards with a description. Roles with more permissions than the user has cannot be chosen. */
import { useId } from 'react'
import { ChoiceGroup } from '../../components/fields/choice-group.tsx'
import { useMe, useScopes } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'

type Props = {
  readonly role: string
  readonly onChange: (role: string) => void
  readonly error: string | undefined
}

export function RoleChoice({ role, onChange, error }: Props) {
  const name = useId()
  const refusalOf = useRefusals()
  return (
    <ChoiceGroup legend={text.role} error={error}>
      <div className="choices">
        {Object.entries(text.roleNames).map(([each, words]) => {
          const refusal = refusalOf(each)
          return (
            <label key={each} className="choice">
              <input
                type="radio"
                className="unseen"
                name={name}
                value={each}
                checked={role === each}
                disabled={refusal !== undefined}
                onChange={() => onChange(each)}
              />
              <span className="card">
                <strong>{words}</strong>
                <span className="hint">{text.roleTexts[each]}</span>
                {refusal !== undefined && <span className="hint">{refusal}</span>}
              </span>
            </label>
          )
        })}
      </div>
    </ChoiceGroup>
  )
}

/** Explains why a role cannot be granted. The server makes the final decision. */
function useRefusals() {
  const me = useMe()
  const { roles } = useScopes()
  return (role: string): string | undefined => {
    if (me.role === 'owner') return undefined
    if (role === 'owner') return text.ownerOnly
    const scopes = roles.find(({ name }) => name === role)?.scopes ?? []
    const isMore = scopes.some((one) => one !== 'admin' && !me.scopes.includes(one))
    return isMore ? text.notYourRole : undefined
  }
}
