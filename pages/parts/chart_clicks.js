// Clicks on the bars of a chart that is dragged over: Streamlit tells of a drag or of clicks, not of both.
const WAITED = 100;

export default function (component) {
  const { data, setTriggerValue } = component;
  let chart = null;
  const clicked = (event) => {
    const bar = event.points?.[0]?.customdata;
    if (Number.isInteger(bar)) setTriggerValue("bar", { bar, at: Date.now() });
  };
  const look = () => {
    const found = document.querySelector(`.${CSS.escape(data.chart)} .js-plotly-plot`);
    if (!found?.on) return;
    clearInterval(timer);
    chart = found;
    chart.on("plotly_click", clicked);
  };
  const timer = setInterval(look, WAITED);
  look();
  return () => {
    clearInterval(timer);
    chart?.removeListener?.("plotly_click", clicked);
  };
}
