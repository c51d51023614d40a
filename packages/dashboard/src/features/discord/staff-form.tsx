/** The list of staff, which is saved in one request. */
import { ErrorMessage } from '../../components/error-message.tsx'
import { Form } from '../../components/fields/form.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { SelectField } from '../../components/fields/select-field.tsx'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { useToast } from '../../components/overlays/toasts.tsx'
import { text } from '../../messages/text.ts'
import styles from './discord.module.css'
import { type Bot, type Servers, type Staff, useEditStaff, useServers } from './queries.ts'

const t = text.discord
const MAX_STAFF = 25
const OWN_ROLES: readonly Staff['role'][] = ['admin', 'developer', 'support', 'reader']
const NEW: Staff = { chat_role_id: '', role: 'support' }

type Roles = Servers['roles'] | undefined

export function StaffForm({ bot }: { bot: Bot }) {
  const kept = useKept('discord-staff')
  const [staff, setStaff] = useKeptState(kept, 'staff', bot.staff)
  const joined = useServers(bot)
  const roles = joined.data?.roles
  const save = useEditStaff()
  const showToast = useToast()
  const errors = useFormErrors(save.error)
  const submit = async () => {
    const missing = staff.flatMap(({ chat_role_id }, at) =>
      chat_role_id === '' ? [[`staff.${at}.chat_role_id`, t.roleMissing] as const] : [],
    )
    if (!errors.check(Object.fromEntries(missing))) return
    await save.mutateAsync(staff)
    kept.forgetSent('staff', staff)
    showToast({ title: t.staffSaved })
  }
  const change = (at: number, changes: Partial<Staff>) =>
    setStaff(staff.map((one, index) => (index === at ? { ...one, ...changes } : one)))
  return (
    <Form
      kept={kept}
      onSubmit={(event) => {
        event.preventDefault()
        void submit().catch(() => {})
      }}
    >
      {staff.length === 0 && <p className="hint">{t.noStaff}</p>}
      <div className={styles.staff}>
        {staff.map((one, at) => (
          <Row
            // biome-ignore lint/suspicious/noArrayIndexKey: a role may be chosen in any row, and rows keep their order.
            key={at}
            of={one}
            options={optionsFor(one, staff, roles)}
            errorOf={(field) => errors.of(`staff.${at}.${field}`)}
            onChange={(changes) => change(at, changes)}
            onRemove={() => setStaff(staff.filter((_, index) => index !== at))}
          />
        ))}
      </div>
      <Unanswered query={joined} />
      <ErrorMessage of={errors.rest} />
      <div className="bar">
        <button
          type="button"
          disabled={!roles || staff.length >= MAX_STAFF}
          onClick={() => setStaff([...staff, NEW])}
        >
          {t.addStaff}
        </button>
        <button type="submit" className="main" disabled={save.isPending}>
          {text.save}
        </button>
      </div>
    </Form>
  )
}

/** Roles can't be chosen until Discord has returned them. */
function Unanswered({ query }: { query: Pick<ReturnType<typeof useServers>, 'error' | 'refetch'> }) {
  if (!query.error) return null
  return (
    <div className="stack tight">
      <ErrorMessage of={query.error} />
      <div className="bar">
        <button type="button" onClick={() => query.refetch()}>
          {text.retry}
        </button>
      </div>
    </div>
  )
}

type RowProps = {
  readonly of: Staff
  readonly options: readonly (readonly [id: string, name: string])[]
  readonly errorOf: (field: keyof Staff) => string | undefined
  readonly onChange: (changes: Partial<Staff>) => void
  readonly onRemove: () => void
}

function Row({ of: { chat_role_id, role }, options, errorOf, onChange, onRemove }: RowProps) {
  const name = options.find(([id]) => id === chat_role_id)?.[1] ?? ''
  return (
    <div>
      <SelectField
        label={t.discordRole}
        error={errorOf('chat_role_id')}
        options={options}
        value={chat_role_id}
        onChange={(event) => onChange({ chat_role_id: event.target.value })}
      />
      <SelectField
        label={t.ownRole}
        error={errorOf('role')}
        options={OWN_ROLES.map((own) => [own, text.roleNames[own] ?? own] as const)}
        value={role}
        onChange={(event) => onChange({ role: event.target.value as Staff['role'] })}
      />
      <button type="button" aria-label={t.removeStaff(name)} onClick={onRemove}>
        {text.remove}
      </button>
    </div>
  )
}

/** Omits the roles of other rows. A saved role that the server no longer has is shown by its ID. */
function optionsFor({ chat_role_id: own }: Staff, staff: readonly Staff[], roles: Roles) {
  const isTaken = (id: string) => id !== own && staff.some(({ chat_role_id }) => chat_role_id === id)
  const known = roles?.filter(({ id }) => !isTaken(id)).map(({ id, name }) => [id, name] as const) ?? []
  if (own === '') return [['', t.chooseRole] as const, ...known]
  if (known.some(([id]) => id === own)) return known
  return [[own, roles === undefined ? t.roleId(own) : t.unknownRole(own)] as const, ...known]
}
