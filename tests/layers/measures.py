"""A meter provider in memory, which tells what it measured."""

from __future__ import annotations

from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader, NumberDataPoint


class Measures:
    """A meter provider and what it measured."""

    def __init__(self) -> None:
        self._reader = InMemoryMetricReader()
        self.provider = MeterProvider([self._reader])

    def found(self) -> dict[str, list[tuple[dict[str, Any], float]]]:
        """The attributes and the sum of each series, by the name of its metric."""
        data = self._reader.get_metrics_data()
        metrics = [each for scope in data.resource_metrics[0].scope_metrics for each in scope.metrics] if data else []
        return {
            f"{metric.name} {metric.unit}": [
                (dict(point.attributes or {}), point.sum if isinstance(point, HistogramDataPoint) else point.value)
                for point in metric.data.data_points
                if isinstance(point, (HistogramDataPoint, NumberDataPoint))
            ]
            for metric in metrics
        }
