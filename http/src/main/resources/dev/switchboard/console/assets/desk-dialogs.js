/** The desk's dialogs and the details beside a conversation. */
import { clockText, errorText, shortTimeText, statusText } from './words.js';
import { add, dialog, h } from './ui.js';

/** Does what a dialog is for, and turns a refusal into words for it. */
async function done(action) {
  try {
    return await action();
  } catch (error) {
    throw errorText(error);
  }
}

/** Passes a conversation on, to a queue or an agent. Gives the reply, or null when it was not done. */
export async function transferDialog(session, c) {
  const lists = await Promise.allSettled([
    session.http('GET', '/queues'),
    session.http('GET', `/agents?queue=${encodeURIComponent(c.queue ?? 'default')}`),
  ]);
  const [queues, agents] = lists.map((list) => list.value?.items ?? []);
  return dialog({
    title: `Transfer ${c.customer ?? c.conv}`,
    label: 'Transfer',
    build: (body) => {
      add(
        body,
        targets(
          'To a queue',
          'queue',
          queues.map((queue) => [queue.queue ?? queue.name, waitingText(queue)]),
        ),
        targets(
          'To an agent',
          'agent',
          agents.filter((agent) => agent.agent !== session.me.id).map((agent) => [agent.agent, agentText(agent)]),
        ),
        h(
          'label',
          { class: 'field' },
          'Or an agent by name',
          h('input', { name: 'name', autocomplete: 'off', maxlength: 100 }),
        ),
        h(
          'label',
          { class: 'field' },
          'Note for colleagues (optional)',
          h('textarea', { name: 'note', rows: 2, maxlength: 4000 }),
        ),
        h('p', {
          class: 'hint',
          text: 'It leaves your desk at once. The customer is told and goes to the front of the line.',
        }),
      );
    },
    submit: (data) => {
      const name = data.get('name').trim();
      const [kind, ...rest] = (data.get('target') ?? '').split(':');
      const to = name ? { agent: name } : kind ? { [kind]: rest.join(':') } : null;
      if (!to) {
        throw 'Please choose where it goes.';
      }
      const note = data.get('note').trim();
      return done(() =>
        session.ask('transfer', () => ({ conv: c.conv, to, ...session.epochOf(c.conv), ...(note ? { note } : {}) })),
      );
    },
  });
}

function targets(title, kind, items) {
  return (
    items.length > 0 &&
    h(
      'fieldset',
      { class: 'options' },
      h('legend', { text: title }),
      ...items.map(([name, hint]) =>
        h(
          'label',
          { class: 'option' },
          h('input', { type: 'radio', name: 'target', value: `${kind}:${name}` }),
          h('span', { text: name }),
          hint && h('span', { class: 'hint', text: hint }),
        ),
      ),
    )
  );
}

function waitingText(queue) {
  const length = queue.length ?? queue.waiting;
  return Number.isFinite(length) ? `${length} waiting` : '';
}

function agentText(agent) {
  const state = agent.reachable === false ? 'out of reach' : agent.availability;
  return Number.isFinite(agent.held) ? `${state}, ${agent.held} of ${agent.capacity}` : state;
}

export function closeDialog(session, c) {
  return dialog({
    title: `Close the conversation with ${c.customer ?? c.conv}?`,
    label: 'Close it',
    build: (body) =>
      add(
        body,
        h(
          'label',
          { class: 'field' },
          'Reason (optional)',
          h('input', { name: 'reason', maxlength: 200, autocomplete: 'off' }),
        ),
        h('p', { class: 'hint', text: 'If the customer writes again, it opens again and is offered anew.' }),
      ),
    submit: (data) => {
      const reason = data.get('reason').trim();
      return done(() =>
        session.ask('close', () => ({ conv: c.conv, ...session.epochOf(c.conv), ...(reason ? { reason } : {}) })),
      );
    },
  });
}

export function labelDialog(session, c) {
  return dialog({
    title: 'Labels',
    label: 'Save',
    build: (body) =>
      add(
        body,
        c.labels.length > 0 &&
          h(
            'fieldset',
            { class: 'options' },
            h('legend', { text: 'Keep' }),
            ...c.labels.map((label) =>
              h(
                'label',
                { class: 'option' },
                h('input', { type: 'checkbox', name: 'keep', value: label, checked: true }),
                h('span', { text: label }),
              ),
            ),
          ),
        h(
          'label',
          { class: 'field' },
          'Add (several: separate with commas)',
          h('input', { name: 'add', maxlength: 300, autocomplete: 'off', autofocus: true }),
        ),
      ),
    submit: async (data) => {
      const keep = new Set(data.getAll('keep'));
      const remove = c.labels.filter((label) => !keep.has(label));
      const add = [
        ...new Set(
          data
            .get('add')
            .split(',')
            .map((label) => label.trim()),
        ),
      ].filter((label) => label && !c.labels.includes(label));
      if (add.some((label) => label.length > 64)) {
        throw 'A label has at most 64 characters.';
      }
      if (add.length + remove.length === 0) {
        return null;
      }
      return done(() => session.ask('label', () => ({ conv: c.conv, add, remove, ...session.epochOf(c.conv) })));
    },
  });
}

export function keysDialog(singleKeys, setSingleKeys) {
  const rows = [
    [['A'], 'Accept the first offer'],
    [['D'], 'Decline the first offer'],
    [['J', 'K'], 'Next, previous conversation'],
    [['R'], 'Write a reply'],
    [['N'], 'Write a note for colleagues'],
    [['T'], 'Transfer'],
    [['L'], 'Labels'],
    [['C'], 'Close the conversation'],
    [['I'], 'Details'],
    [['Esc'], 'Leave the text field'],
    [['?'], 'This list'],
  ];
  return dialog({
    title: 'Keyboard shortcuts',
    build: (body) =>
      add(
        body,
        h(
          'dl',
          { class: 'keys' },
          ...rows.flatMap(([keys, text]) => [
            h('dt', {}, ...keys.map((key) => h('kbd', { text: key }))),
            h('dd', { text }),
          ]),
        ),
        h('p', {
          class: 'hint',
          text: 'Single keys work outside of text fields. With Alt and Shift held they work everywhere.',
        }),
        h(
          'label',
          { class: 'option' },
          h('input', {
            type: 'checkbox',
            checked: singleKeys,
            onchange: (event) => setSingleKeys(event.target.checked),
          }),
          h('span', { text: 'Single keys' }),
        ),
      ),
  });
}

/** What is known of a conversation; why it came here is asked of the server. */
export async function drawFacts(place, session, c, hide) {
  const rows = [
    ['Customer', c.customer],
    ['Conversation', c.conv],
    ['Status', statusText(c.status)],
    ['Queue', c.queue],
    ['Agent', c.owner],
    ['Opened', c.openedAt && shortTimeText(c.openedAt)],
    ['Read', c.peer.read >= c.log.head && c.log.head > 0 ? 'everything, by the customer' : null],
  ].filter(([, value]) => value);
  const attributes = Object.entries(c.attributes ?? {});
  const list = (entries) =>
    h('dl', {}, ...entries.flatMap(([name, value]) => [h('dt', { text: name }), h('dd', { text: value })]));
  const why = h('ul', {});
  place.replaceChildren(
    h(
      'div',
      { class: 'facts-head' },
      h('h3', { text: 'Conversation' }),
      h('button', { type: 'button', class: 'quiet', text: 'Hide', onclick: hide }),
    ),
    list(rows),
    h('h3', { text: 'Labels' }),
    c.labels.length > 0
      ? h('div', { class: 'chips' }, ...c.labels.map((label) => h('span', { class: 'chip', text: label })))
      : h('p', { class: 'hint', text: 'None' }),
    attributes.length > 0 ? h('h3', { text: 'About the customer' }) : '',
    attributes.length > 0 ? list(attributes) : '',
    h('h3', { text: 'Why it is here' }),
    why,
  );
  try {
    const routing = await session.http('GET', `/conversations/${encodeURIComponent(c.conv)}/routing`);
    const decisions = routing.decisions ?? routing.items ?? [];
    why.replaceChildren(
      ...decisions
        .slice(-5)
        .reverse()
        .map((decision) =>
          h('li', {
            text: `${clockText(decision.at)}: ${decision.reason ?? decision.agent}${decision.strategy ? ` (${decision.strategy})` : ''}`,
          }),
        ),
    );
  } catch {
    // left empty below
  }
  if (why.childElementCount === 0) {
    why.append(h('li', { class: 'hint', text: 'Nothing is recorded.' }));
  }
}
