/** What one presses, types and chooses. */
import { type ChangeEvent, useState } from 'react'
import { AreaField } from '../../parts/area-field.tsx'
import { Check, ChoiceGroup } from '../../parts/choice-group.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { DurationField } from '../../parts/duration-field.tsx'
import { Field, PasswordField } from '../../parts/field.tsx'
import { GuardedButton } from '../../parts/guarded.tsx'
import { KeyFormatField, OwnKeyFormat } from '../../parts/key-format-field.tsx'
import { Menu, MenuCheck, MenuItem, MenuLink } from '../../parts/menu.tsx'
import { OverlapField } from '../../parts/overlap-field.tsx'
import { RowButton } from '../../parts/row-button.tsx'
import { Segments } from '../../parts/segments.tsx'
import { SelectField } from '../../parts/select-field.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { text } from '../../text/text.ts'
import { ARABIC, KEY, LONG, SENTENCE, SHORT } from './samples.ts'
import { Part, State } from './specimen.tsx'

const t = text.catalogue
const DURATION = { amount: { defaultValue: '30' }, unit: { defaultValue: 'days' } }

export function Controls() {
  return (
    <>
      <Buttons />
      <Fields />
      <KeyFormats />
      <AreasAndSelects />
      <Choices />
      <SegmentsAndTabs />
      <Menus />
    </>
  )
}

function Buttons() {
  return (
    <Part name="guarded">
      <State of="full">
        <div className="bar">
          <GuardedButton needs={undefined} className="main">
            {text.retry}
          </GuardedButton>
          <GuardedButton needs={undefined}>{text.reset}</GuardedButton>
          <GuardedButton needs={undefined} className="danger">
            {text.remove}
          </GuardedButton>
          <RowButton needs="users:write" label={text.reset} of={SHORT} onClick={() => {}} />
          <CopyButton value={KEY} />
        </div>
      </State>
      <State of="disabled">
        <div className="bar">
          <GuardedButton needs={undefined} reason={t.why}>
            {text.reset}
          </GuardedButton>
          <button type="button" className="main" disabled>
            {text.retry}
          </button>
        </div>
      </State>
      <State of="long">
        <GuardedButton needs={undefined}>{SENTENCE}</GuardedButton>
      </State>
      <State of="rtl">
        <GuardedButton needs={undefined}>{ARABIC}</GuardedButton>
      </State>
    </Part>
  )
}

function Fields() {
  return (
    <Part name="field">
      <State of="full">
        <Field label={text.name} hint={t.hint} defaultValue={SHORT} />
        <PasswordField label={text.password} defaultValue={KEY} autoComplete="off" />
      </State>
      <State of="empty">
        <Field label={text.name} placeholder={text.note} />
      </State>
      <State of="failing">
        <Field label={text.name} hint={t.hint} error={t.wrong} />
      </State>
      <State of="disabled">
        <Field label={text.name} defaultValue={SHORT} disabled />
      </State>
      <State of="long">
        <Field label={LONG} defaultValue={LONG} />
      </State>
      <State of="rtl">
        <Field label={ARABIC} hint={ARABIC} defaultValue={ARABIC} />
      </State>
    </Part>
  )
}

function KeyFormats() {
  const [typed, setTyped] = useState('HUB-XXXXX-XXXXX-XXXXX-XXXXX-X')
  const given = {
    label: text.keyFormats.ownLabel,
    hint: t.hint,
    onChange: (event: ChangeEvent<HTMLInputElement>) => setTyped(event.target.value),
  }
  return (
    <Part name="key-format-field">
      <State of="full">
        <KeyFormatField {...given} typed={typed} defaultValue={typed} error={undefined} />
      </State>
      <State of="failing">
        <OwnKeyFormat typed="HUB-X" defaultValue="HUB-X" error={t.wrong} />
      </State>
    </Part>
  )
}

function AreasAndSelects() {
  const [area, setArea] = useState(LONG)
  const options = [
    ['a', SHORT],
    ['b', LONG],
    ['c', ARABIC],
  ] as const
  return (
    <>
      <Part name="area-field">
        <State of="full">
          <AreaField label={text.note} hint={t.hint} value={area} onChange={setArea} />
        </State>
        <State of="failing">
          <AreaField label={text.note} hint={t.hint} error={t.wrong} value={area} onChange={setArea} />
        </State>
        <State of="rtl">
          <AreaField label={ARABIC} hint={ARABIC} value={ARABIC} onChange={setArea} />
        </State>
      </Part>
      <Part name="select-field">
        <State of="full">
          <SelectField label={text.name} hint={t.hint} options={options} defaultValue="a" />
        </State>
        <State of="failing">
          <SelectField label={text.name} error={t.wrong} options={options} />
        </State>
        <State of="disabled">
          <SelectField label={text.name} options={options} disabled />
        </State>
        <State of="long">
          <SelectField label={LONG} options={options} defaultValue="b" />
        </State>
      </Part>
    </>
  )
}

function Choices() {
  const [overlap, setOverlap] = useState<number>(0)
  const none = () => {}
  return (
    <>
      <Part name="choice-group">
        <State of="full">
          <ChoiceGroup legend={text.name} hint={t.hint}>
            <Check label={SHORT} hint={t.hint} checked onChange={none} />
            <Check label={text.note} checked={false} onChange={none} />
          </ChoiceGroup>
        </State>
        <State of="failing">
          <ChoiceGroup legend={text.name} error={t.wrong}>
            <Check label={SHORT} checked={false} onChange={none} />
          </ChoiceGroup>
        </State>
        <State of="disabled">
          <ChoiceGroup legend={text.name}>
            <Check label={SHORT} checked disabled onChange={none} />
          </ChoiceGroup>
        </State>
        <State of="long">
          <ChoiceGroup legend={LONG}>
            <Check label={LONG} hint={LONG} checked onChange={none} />
          </ChoiceGroup>
        </State>
        <State of="rtl">
          <ChoiceGroup legend={ARABIC}>
            <Check label={ARABIC} hint={ARABIC} checked onChange={none} />
          </ChoiceGroup>
        </State>
      </Part>
      <Part name="overlap-field">
        <State of="full">
          <OverlapField value={overlap} onChange={setOverlap} />
        </State>
      </Part>
      <Part name="duration-field">
        <State of="full">
          <DurationField label={text.name} hint={t.hint} error={undefined} {...DURATION} />
        </State>
        <State of="failing">
          <DurationField label={LONG} hint={LONG} error={t.wrong} {...DURATION} />
        </State>
      </Part>
    </>
  )
}

function SegmentsAndTabs() {
  const [chosen, setChosen] = useState<'a' | 'b' | 'c'>('b')
  const tabs = [SHORT, text.note, text.device].map((title) => ({
    id: title,
    title,
    content: <p>{title}</p>,
  }))
  return (
    <>
      <Part name="segments">
        <State of="full">
          <Segments
            label={text.name}
            options={[
              ['a', text.name],
              ['b', text.note],
              ['c', text.device],
            ]}
            chosen={chosen}
            onChoose={setChosen}
          />
        </State>
      </Part>
      <Part name="tabs">
        <State of="full">
          <Tabs label={text.name} tabs={tabs} />
        </State>
        <State of="long">
          <Tabs label={text.note} tabs={[...tabs, { id: 'long', title: LONG, content: <p>{LONG}</p> }]} />
        </State>
        <State of="rtl">
          <Tabs
            label={text.device}
            tabs={[{ id: 'rtl', title: ARABIC, content: <p>{ARABIC}</p> }, ...tabs]}
          />
        </State>
      </Part>
    </>
  )
}

function Menus() {
  const none = () => {}
  return (
    <Part name="menu">
      <State of="full">
        <div className="bar">
          <Menu label={text.frame.actions}>
            <MenuItem onClick={none}>{text.reset}</MenuItem>
            <MenuItem needs="no:right" onClick={none}>
              {text.note}
            </MenuItem>
            <MenuItem isDanger onClick={none}>
              {text.remove}
            </MenuItem>
          </Menu>
          <Menu label={text.frame.columns} button={text.frame.columns}>
            <MenuCheck isChecked onChange={none}>
              {text.name}
            </MenuCheck>
            <MenuLink href="#/catalogue">{t.title}</MenuLink>
          </Menu>
        </div>
      </State>
      <State of="long">
        <Menu label={SHORT} button={SHORT}>
          <MenuItem onClick={none}>{LONG}</MenuItem>
        </Menu>
      </State>
    </Part>
  )
}
