"use strict";

// Curves: one small chart each, drawn anew from what /api/history has; nothing is kept besides.

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = { left: 54, right: 8, top: 8, bottom: 18 };

function svg(tag, attributes = {}) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** Return a number in about five characters. */
function brief(value, isShare = false) {
  if (value === null || value === undefined) return "–";
  if (isShare) return `${(100 * value).toFixed(0)} %`;
  const size = Math.abs(value);
  if (size >= 1e6) return `${(value / 1e6).toFixed(size >= 1e8 ? 0 : 1)}M`;
  if (size >= 1e5) return `${(value / 1e3).toFixed(0)}k`;
  if (size >= 100) return value.toLocaleString("en-US", { maximumFractionDigits: 0 });
  if (size >= 10) return value.toFixed(1);
  if (size >= 0.1 || size === 0) return value.toFixed(2);
  return size >= 0.001 ? value.toFixed(4) : value.toExponential(1);
}

/** Return a number beside an axis: as many digits as tell its marks apart. */
function tick(value, span, isShare) {
  if (isShare || Math.abs(value) >= 1e5 || span < 1e-3) return brief(value, isShare);
  const digits = Math.min(4, Math.max(0, 1 - Math.floor(Math.log10(span))));
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

class Chart {
  constructor() {
    this.figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    this.title = document.createElement("b");
    this.value = document.createElement("span");
    caption.append(this.title, this.value);
    this.plot = svg("svg", { role: "img" });
    this.figure.append(caption, this.plot);
    this.plot.addEventListener("pointermove", (event) => this.point(event.offsetX));
    this.plot.addEventListener("pointerdown", (event) => this.point(event.offsetX));
    this.plot.addEventListener("pointerleave", () => this.point(null));
    this.at = null;
    this.width = 0;
    new ResizeObserver(() => {
      if (this.curve && this.plot.clientWidth !== this.width) this.draw();
    }).observe(this.plot);
  }

  show(curve) {
    this.curve = curve;
    this.draw();
  }

  draw() {
    const { curve, plot } = this;
    const width = (this.width = plot.clientWidth);
    const height = plot.clientHeight;
    if (!width || !height) return;
    const shown = [...curve.values, ...curve.means].filter((value) => value !== null);
    let low = Math.min(...shown);
    let high = Math.max(...shown);
    if (curve.is_share) [low, high] = [Math.min(0, low), Math.max(1, high)];
    if (low === high) [low, high] = [low - 0.5, high + 0.5];
    const first = curve.steps[0];
    const span = Math.max(1, curve.steps.at(-1) - first);
    const inner = { width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
    this.x = (steps) => MARGIN.left + ((steps - first) / span) * inner.width;
    this.y = (value) => MARGIN.top + ((high - value) / (high - low)) * inner.height;
    plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const parts = [];
    for (const value of [high, (low + high) / 2, low]) {
      const y = this.y(value);
      parts.push(svg("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: y, y2: y }));
      const label = svg("text", { x: MARGIN.left - 6, y: y + 4, "text-anchor": "end" });
      label.textContent = tick(value, (high - low) / 2, curve.is_share);
      parts.push(label);
    }
    for (const [steps, anchor] of [[first, "start"], [curve.steps.at(-1), "end"]]) {
      const label = svg("text", { x: this.x(steps), y: height - 4, "text-anchor": anchor });
      label.textContent = brief(steps);
      if (steps !== first || anchor === "start") parts.push(label);
    }
    parts.push(svg("path", { class: "raw", d: this.path(curve.values) }));
    parts.push(svg("path", { class: "mean", d: this.path(curve.means) }));
    if (curve.steps.length === 1)
      parts.push(svg("circle", { class: "mean", cx: this.x(first), cy: this.y(curve.means[0]), r: 3 }));
    this.cross = svg("line", { class: "cross", y1: MARGIN.top, y2: height - MARGIN.bottom, visibility: "hidden" });
    parts.push(this.cross);
    plot.replaceChildren(...parts);
    this.title.textContent = curve.title;
    this.point(this.at);
  }

  path(values) {
    let isOpen = false;
    return values
      .map((value, index) => {
        if (value === null) return (isOpen = false) || "";
        const command = isOpen ? "L" : "M";
        isOpen = true;
        return `${command}${this.x(this.curve.steps[index]).toFixed(1)} ${this.y(value).toFixed(1)}`;
      })
      .join("");
  }

  /** Show the value where the pointer is; null: the last one. */
  point(at) {
    this.at = at;
    const { steps, places, means, source, is_share: isShare } = this.curve;
    let index = steps.length - 1;
    if (at !== null)
      for (let other = 0; other < steps.length; other++)
        if (Math.abs(this.x(steps[other]) - at) < Math.abs(this.x(steps[index]) - at)) index = other;
    const unit = source === "updates" ? "update" : "episode";
    const where = at === null ? "" : ` at ${unit} ${places[index].toLocaleString("en-US")}`;
    this.value.textContent = brief(means[index], isShare) + where;
    this.plot.setAttribute("aria-label", `${this.curve.title}: ${this.value.textContent}`);
    const x = this.x(steps[index]);
    this.cross.setAttribute("x1", x);
    this.cross.setAttribute("x2", x);
    this.cross.setAttribute("visibility", at === null ? "hidden" : "visible");
  }
}

/** Keep a chart for each curve in a container. */
class Charts {
  constructor(container) {
    this.container = container;
    this.charts = [];
  }

  show(curves) {
    while (this.charts.length > curves.length) this.charts.pop().figure.remove();
    while (this.charts.length < curves.length) {
      const chart = new Chart();
      this.charts.push(chart);
      this.container.append(chart.figure);
    }
    curves.forEach((curve, index) => this.charts[index].show(curve));
  }
}
